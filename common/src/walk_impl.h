/*
 * walk_impl.h - what the parts of a walk share: walk.c goes from call to call, walk_values.c has the values of each
 */
#ifndef RSD_WALK_IMPL_H
#define RSD_WALK_IMPL_H

#include "walk.h"

struct rsd_walk_column { /* of one rank, as it is read; all NULL: the rank has none */
	struct rsd_column *col;
	struct rsd_cursor *next;
	enum rsd_encoding enc;
};

/* 'c' is zeroed. 0, also where the rank has none, or an error; to be closed in any case. */
int rsd_walk_column_open(struct rsd_walk_column *c, const struct rsd_params *p, int rank);
void rsd_walk_column_close(struct rsd_walk_column *c);

/* Ends the text that says what is wrong. RSD_ERR_FORMAT. */
int rsd_walk_damaged(struct rsd_buf *why);

/* The values of one rank's calls, from the columns of the places. Trace and 'why' are borrowed. */
struct rsd_walk_values;

struct rsd_walk_drawn {	    /* of one call; relative peers are made absolute */
	const int64_t *val; /* until the next one */
	size_t nr;
	bool timed;
	int64_t before_ns, dur_ns; /* where it is timed */
};

struct rsd_walk_values *rsd_walk_values_new(
	const struct rsd_trace *t, int rank, struct rsd_buf *why);
void rsd_walk_values_free(struct rsd_walk_values *vs);
/* Those of the next call at 'place'. */
int rsd_walk_values_draw(struct rsd_walk_values *vs, int place, struct rsd_walk_drawn *out);
/* Are there values that no call has taken? Then RSD_ERR_FORMAT. */
int rsd_walk_values_check_end(const struct rsd_walk_values *vs);

#endif
