/*
 * left_out.h - which calls of a trace a replay does not make
 */
#ifndef RSD_LEFT_OUT_H
#define RSD_LEFT_OUT_H

#include "trace.h"

/* Why this call, of function 'func' in rsd_funcs, is not made; NULL: it is. A text to stand behind the function's name. */
const char *rsd_left_out(const struct rsd_trace *t, const struct rsd_event *e, int func);
/* Are there calls inside MPI_Finalize, or after it? */
bool rsd_has_late_calls(const struct rsd_trace *t);

#endif
