/* loss.h - what a trace has and another format has no place for */
#ifndef RSD_LOSS_H
#define RSD_LOSS_H

#include "trace.h"

/* Says in one line what of the trace is not in 'output', which was written in this format; nothing where all is. */
void rsd_loss_tell(const struct rsd_trace *t, const char *format, const char *output);

#endif
