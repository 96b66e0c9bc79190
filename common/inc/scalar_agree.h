/*
 * scalar_agree.h - histogram mode, once all ranks are together: numbers that ranks have to agree on
 *
 * What several ranks have to agree on may lose its order only if all of them lose it alike. A reader draws by a
 * permutation that depends on nothing but how many values there are; so columns of equal values, wherever they are, come out
 * equal as long as each draws all of its own ("whole" groups, ScalarParam.h). Therefore equal sequences are one class here,
 * and a class gets histograms everywhere or nowhere:
 *
 *	collectives	counts of a class that every rank has at one place each (scalar_coll.c)
 *	loops		counts of a class whose loops need none but each other (scalar_loop.c)
 */
#ifndef RSD_SCALAR_AGREE_H
#define RSD_SCALAR_AGREE_H

#include "trace.h"

struct rsd_sequence {
	struct rsd_column *col; /* the sequence, appended value by value */
	bool bad;		/* stays exact */
	struct rsd_scalars groups;
	struct rsd_column *refs; /* NULL: exact */
	struct rsd_ranks ranks;	 /* who has it, for the caller to fill in */
};

struct rsd_sequences {
	struct rsd_sequence *c;
	size_t nr, alloc;
	struct rsd_map by_hash;
	uint32_t error;
	uint64_t looked_at; /* values, of all columns */
};

void rsd_sequences_release(struct rsd_sequences *s);
/*
 * The class of a column's values, found or added; or an error: RSD_ERR_RANGE where more than RSD_SCALAR_MAX_DRAWN
 * values would have been looked at. Pointers to classes hold until the next is added.
 */
int rsd_sequences_find(struct rsd_sequences *s, const struct rsd_column *c);
/* Makes the groups of all that are not bad; what would save nothing becomes bad. 0 or RSD_ERR_NOMEM. */
int rsd_sequences_group(struct rsd_sequences *s);
/* Adds the class's groups as whole ones, of column 'col' and these ranks. 0 or RSD_ERR_NOMEM. */
int rsd_sequence_add_groups(const struct rsd_sequence *c, int col, const struct rsd_ranks *ranks,
	struct rsd_scalars *out);

/*
 * What one round of a loop's body is to others, for one rank.
 */
struct rsd_round {
	bool regular; /* each round is as any other: columns repeat with it, requests end where they began */
	bool hidden; /* messages whose other end is not told */
	uint64_t
		messages; /* sum over sends less that over receives of (communicator, from, to, tag) */
	uint64_t calls; /* which collectives, in order; 0: none */
};
/* 'standing': at how many nodes each place stands. 0 or RSD_ERR_NOMEM. */
int rsd_round_look(const struct rsd_trace *t, const struct rsd_node *loop, int rank,
	const uint32_t *standing, struct rsd_round *out);

/* Is every call's 'type' (a parameter; -1: none) the same, for each rank? Else the sum of counts says nothing of bytes. */
bool rsd_scalar_has_one_type(const struct rsd_place *p, const struct rsd_func *f, int type);
/* The ranks that have a group of column 'col'; 'out' is initialised. 0 or RSD_ERR_NOMEM. */
int rsd_scalars_ranks(const struct rsd_scalars *groups, int col, struct rsd_ranks *out);
/*
 * Adds what a reader has to draw of a column over ranks to *cost, until that is more than 'most': for each of the ranks 'drawn'
 * (NULL: all; 'once': one for all) its values and RSD_SCALAR_RANK_COST, and what is to be cut (params_cut.h) for the others. 0 or RSD_ERR_NOMEM.
 */
int rsd_scalars_cost(const struct rsd_params *p, const struct rsd_ranks *drawn, bool once,
	uint64_t most, uint64_t *cost);
/* The same with these groups, of which it is number 'col'. */
int rsd_scalars_cost_of_groups(const struct rsd_params *p, const struct rsd_scalars *groups,
	int col, uint64_t most, uint64_t *cost);
/* Do all ranks of the column draw alike from these groups, of which it is number 'col'? */
bool rsd_scalars_drawn_once(const struct rsd_params *p, const struct rsd_scalars *groups, int col);

/* The two parts of rsd_scalars_agree(). 'room' is what readers can still draw; the first part lessens it. */
int rsd_scalars_of_collectives(struct rsd_trace *t, uint32_t error, uint64_t *room);
int rsd_scalars_of_loops(struct rsd_trace *t, uint32_t error, uint64_t room);

#endif
