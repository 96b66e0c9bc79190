/*
 * watch.h - has a command left a trace?
 *
 * Two signs, each enough: a process of this host has said so (run_note.h of the runtime), or, as processes of other
 * hosts can't, a file that may be the trace has come or changed.
 */
#ifndef RSD_WATCH_H
#define RSD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

enum rsd_traced {
	RSD_TRACED_NOT,	     /* no program began to use MPI */
	RSD_TRACED_STRANGER, /* one did that has another MPI than the tracer */
	RSD_TRACED_BEGUN,    /* one did, but there is no trace */
	RSD_TRACED,
};

struct rsd_watch {
	char *note;	/* the file where processes leave notes; NULL: there is none */
	char *outer;	/* where another rsd run waits for them, or NULL */
	char *pattern;	/* glob(3) of what traces may be called; NULL: not known */
	uint64_t files; /* a sum over the files of that name */
};

/* Before the command is run: sets RSD_RUN_NOTE. False after a message; then there is nothing to end. */
bool rsd_watch_begin(struct rsd_watch *w);
/* After it has ended: removes the note. */
enum rsd_traced rsd_watch_end(struct rsd_watch *w);

#endif
