/*
 * profile.h - what the parts of `rsd profile` share: a folder of text files, one purpose each
 *
 *	profile.c		the folder, README
 *	profile_tables.c	functions.txt callsites.txt places.txt communicators.txt
 *	profile_loops.c		loops.txt loop_counts.txt loop_positions.txt
 *	profile_states.c	states.txt initial_state.txt
 *	profile_flow.c		dependences.txt transitions.txt: the only parts whose time depends on the number of calls
 *
 * Numbers (of functions, call sites, places, loops, states, communicators) are the trace's order, and so the same whenever it is
 * read. They are not those of another trace.
 */
#ifndef RSD_PROFILE_H
#define RSD_PROFILE_H

#include "calltree.h"
#include "export.h"
#include "folder.h"
#include "timeline.h"

#define RSD_PROFILE_MARKER                                                                         \
	".rsd-profile" /* a folder with this file is one of ours, and may be replaced */

struct rsd_profile {
	const struct rsd_export *x;
	const struct rsd_folder *folder;
	struct rsd_calltree tree;
	uint64_t *calls; /* by place */
	struct rsd_map site_by_frame;
	int *site; /* by signature: its call site, from 1; 0: none */
	int nr_sites;
};

/* Writes a file of the folder. False after a message. */
bool rsd_profile_put(const struct rsd_profile *p, const char *name, struct rsd_buf *text);
/* Where a call site is: FILE:LINE:COLUMN, or * where that is not known. Files have no spaces: they are \x20. */
void rsd_profile_where(const struct rsd_profile *p, int sig, struct rsd_buf *out);
/* A word: what is not printable, spaces and backslashes as \xHH. */
void rsd_profile_word(const char *s, struct rsd_buf *out);

/* False after a message. */
bool rsd_profile_tables(struct rsd_profile *p);
bool rsd_profile_comms(struct rsd_profile *p, const struct rsd_comms *c);
bool rsd_profile_loops(struct rsd_profile *p);
bool rsd_profile_states(struct rsd_profile *p);
bool rsd_profile_flow(struct rsd_profile *p, struct rsd_timeline *tl);

/* rsd profile itself; the exit code. */
int rsd_profile(const struct rsd_export *x);

#endif
