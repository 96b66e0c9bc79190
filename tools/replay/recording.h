/*
 * recording.h - a replay that is recorded while it plays, and compared with what it plays
 *
 * The process that the launcher started stays outside: it starts itself once more with
 * the tracer preloaded and options that make it record what the trace holds, waits, and, at rank
 * 0, compares the two traces.
 */
#ifndef RSD_RECORDING_H
#define RSD_RECORDING_H

#include <stdbool.h>
#include "guide.h"
#include "trace.h"

struct rsd_recording {
	const struct rsd_trace *trace;
	const char *path;   /* of the trace */
	const char *output; /* NULL: a temporary file */
	bool verify;
	int rank;
	bool quiet;
};

/* The exit code. argv is this program's own. */
int rsd_recording_run(const struct rsd_recording *rec, char **argv);
/* In the process that plays: has one of the above started it? */
bool rsd_recording_is_on(void);
/* The tracer that is loaded, or NULL. */
const struct rsd_guide *rsd_recording_guide(void);

#endif
