/*
 * source.h - the source lines of a trace's call sites
 *
 * They are in the trace where rsd resolve put them there. Else each module is opened once, what is wanted of
 * it is looked up, and it is closed again. A module that is not there, or is another build than the traced
 * one (by its build id), is named in a message, once; its call sites stay module and offset. So is one whose call sites
 * have no line, as it was built without debug information: of these the function is known where the symbols tell it.
 */
#ifndef RSD_SOURCE_H
#define RSD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "trace.h"

struct rsd_source_options {
	bool wanted; /* --source */
	bool stacks; /* all frames of call stacks, not only call sites */
	/* A folder under which modules and debug files are looked for, too, by their full paths; or NULL. */
	const char *debug_root;
	/* The folder to which the sources were moved: a file has the path of its longest tail that is there; or NULL. */
	const char *source_root;
};

/* The options of commands that show source lines, for getopt_long. */
#define RSD_SOURCE_OPTIONS                                                                         \
	{ "source", no_argument, NULL, 'S' }, { "debug-root", required_argument, NULL, 'D' },      \
	{                                                                                          \
		"source-root", required_argument, NULL, 'O'                                        \
	}
#define RSD_SOURCE_HELP                                                                            \
	"      --source           call sites as file:line in function, with what it is inlined "   \
	"into\n"                                                                                   \
	"      --debug-root=DIR   look for modules and debug files under DIR, too\n"               \
	"      --source-root=DIR  the sources are under DIR now\n"
/* Takes the option that getopt_long returned as 'c'; false where it is none of these. */
bool rsd_source_option(struct rsd_source_options *o, int c, const char *arg);

struct rsd_sources {
	const struct rsd_trace *t;
	struct rsd_source_table found; /* of the trace's modules */
};

/* Looks the call sites, or stacks, up. Borrows the trace; 'o' may be NULL. NULL: out of memory. */
struct rsd_sources *rsd_sources_new(const struct rsd_trace *t, const struct rsd_source_options *o);
void rsd_sources_free(struct rsd_sources *s);
/* A frame that was looked up; NULL where neither line nor function of it is known. Lives as long as 's'. */
const struct rsd_source *rsd_sources_frame(const struct rsd_sources *s, const struct rsd_frame *at);
/* The call site of a signature; NULL where neither is known. Lives as long as 's'. */
const struct rsd_source *rsd_sources_site(const struct rsd_sources *s, int sig);

/* Looks up all frames of all signatures and puts what is found into the trace. 0 or RSD_ERR_NOMEM. */
int rsd_sources_resolve(struct rsd_trace *t, const struct rsd_source_options *o);

#endif
