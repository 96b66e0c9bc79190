/*
 * source.h - the source lines of a trace's call sites
 *
 * Each module is opened once, all call sites in it are looked up, and it is closed again. A module that is
 * not there, or is another build than the traced one (by its build id), is named in a message, once; its
 * call sites stay module and offset.
 */
#ifndef RSD_SOURCE_H
#define RSD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "trace.h"

struct rsd_source_frame { /* any of the strings may be NULL, line and column 0: unknown */
	char *function, *file;
	uint32_t line, column;
};

struct rsd_source { /* innermost first: frame[i] is inlined into frame[i + 1] */
	struct rsd_source_frame *frame;
	size_t nr; /* 0: nothing is known */
};

struct rsd_sources {
	const struct rsd_trace *t;
	struct rsd_source *site; /* by signature; owned */
};

/*
 * Borrows the trace. debug_root: folder under which modules and debug files are looked for, too, by
 * their full paths; or NULL. NULL: out of memory.
 */
struct rsd_sources *rsd_sources_new(const struct rsd_trace *t, const char *debug_root);
void rsd_sources_free(struct rsd_sources *s);
/* The call site of a signature; NULL where nothing is known of it. Lives as long as 's'. */
static inline const struct rsd_source *rsd_sources_site(const struct rsd_sources *s, int sig)
{
	bool known = s && sig >= 0 && (size_t)sig < s->t->sigs.nr_sigs && s->site[sig].nr;

	return known ? &s->site[sig] : NULL;
}

#endif
