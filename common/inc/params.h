/*
 * params.h - one parameter's column over many ranks: match, encode relative to rank, unite
 *
 * After ranks are merged, a place has for each column the values of every
 * participant. They are kept as variants:
 *
 *	variant = (ranks, skeleton column, {number index -> column over the ranks})
 *
 * Participants with equal columns share a variant as it is. Participants whose
 * columns have one skeleton and differ in numbers (starts, strides, shifts, counts)
 * share it too, where that is shorter (params_join.h): each number that differs becomes a column of its own, one value
 * per member of 'ranks' in ascending order - where "rank + 1", "rank / 64" or
 * "offset = a*rank + b" is again one or two sections, for any number of ranks.
 *
 * A peer's column is kept in two encodings while ranks are merged, absolute and
 * relative to the own rank modulo the communicator's size; as soon as one is
 * clearly smaller the other is dropped, and only one is written.
 */
#ifndef RSD_PARAMS_H
#define RSD_PARAMS_H

#include "params_queue.h"
#include "rank_recursive.h"

enum rsd_encoding {
	RSD_E_ABS = 0, /* values as they are */
	RSD_E_REL = 1, /* peer: (own rank + value) mod size, both of the call's communicator */
	RSD_NR_ENCODINGS
};

struct rsd_number {		 /* a number of the skeleton that differs between ranks */
	uint32_t index;		 /* which one */
	struct rsd_column *over; /* its values by position in 'ranks' */
};

struct rsd_variant {
	struct rsd_ranks ranks;
	struct rsd_column *col;	   /* numbers listed in 'number' are to be replaced */
	struct rsd_number *number; /* ascending index */
	size_t nr_numbers;
	uint64_t skeleton; /* its rsd_column_skeleton_hash; 0: not asked for since 'col' was set */
};

struct rsd_variants {
	struct rsd_variant *variant; /* disjoint ranks, by first rank (which decoding sees to) */
	size_t nr, alloc;
};

struct rsd_params {				   /* a column over ranks */
	struct rsd_variants enc[RSD_NR_ENCODINGS]; /* without variants: it is not kept */
};
#define RSD_PARAMS_INIT ((struct rsd_params){ { { NULL, 0, 0 }, { NULL, 0, 0 } } })

void rsd_params_release(struct rsd_params *p);
/* A column of the one rank: takes 'abs'; takes 'rel' (NULL where there is none). 'p' is initialised and empty. */
int rsd_params_set(struct rsd_params *p, int rank, struct rsd_column *abs, struct rsd_column *rel);
/*
 * Unites: 'a' gets b's variants; every rank of b is above every rank of a.
 * An empty side is fine. Takes the contents of 'b'. On error both may be
 * partly moved but can be released.
 */
int rsd_params_merge(struct rsd_params *a, struct rsd_params *b);
/* All ranks are there: joins what gets shorter by it, and keeps the smaller encoding only. */
void rsd_params_settle(struct rsd_params *p);
/*
 * The column of one rank in the encoding it is kept in (*enc); a new column the
 * caller frees. RSD_ERR_END where the rank has none.
 */
int rsd_params_get(
	const struct rsd_params *p, int rank, enum rsd_encoding *enc, struct rsd_column **out);
/* All ranks that have a column here. */
int rsd_params_ranks(const struct rsd_params *p, struct rsd_ranks *out);
bool rsd_params_equal(const struct rsd_params *a, const struct rsd_params *b);
size_t rsd_params_size(const struct rsd_params *p); /* encoded bytes, settled */

/* Bytes. Decode checks that ranks are below 'limit', disjoint, indices in bounds, column lengths match. */
void rsd_params_encode(const struct rsd_params *p, struct rsd_buf *out);
int rsd_params_decode(struct rsd_params *p, struct rsd_reader *in, int limit);

#endif
