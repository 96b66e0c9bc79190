/*
 * transfer_impl.h - what writing and reading of a trace's bytes have in common, and what the parts of reading share
 *
 * transfer_write.c writes; transfer_read.c reads the header and the tables, transfer_places.c the places and the trees.
 */
#ifndef RSD_TRANSFER_IMPL_H
#define RSD_TRANSFER_IMPL_H

#include <string.h>
#include "coder.h"
#include "scan.h"
#include "transfer.h"

/*
 * Read are, too: 1, which had no moves, and constants were not shifted over; 2, which had no brackets in sets of ranks; 3, which
 * had histograms, frames and numbers of places as they are. A trace that has columns with references (ScalarParam.h) is of
 * version 5, which is otherwise as 4; or of 6, which has whole groups, and groups of loops, too. One that
 * knows of clocks or of the order of threads is of 7, which is otherwise as 6; one that names requests of other threads is of 8, which
 * is otherwise as 7. All others are written as ever.
 */
#define RSD_BINARY_PLAIN 4
#define RSD_BINARY_SCALARS 5
#define RSD_BINARY_WHOLE 6
#define RSD_BINARY_CLOCKS 7  /* threads, clocks, order among the objects */
#define RSD_BINARY_FOREIGN 8 /* and requests of other threads */

/* Before each node of a tree stands one number that says what it is. */
enum {
	RSD_NODE_END,
	RSD_NODE_LOOP,
	RSD_NODE_LOOP_RANKS,
	RSD_NODE_EVENT
}; /* EVENT + 2 * step + has ranks */

enum { RSD_PLACE_TIMING = 1, RSD_PLACE_TIMES = 2, RSD_PLACE_SCALARS = 4 };

/* ---- what a model is told (coder.h) -------------------------------------------- */

/* Columns of places are told apart by function and number, others by these. */
enum { RSD_COLUMN_RANKS = 1000, RSD_COLUMN_LOOP, RSD_COLUMN_TIMES, RSD_COLUMN_SCALARS = 1004 };

static inline uint64_t rsd_transfer_key(const char *name)
{
	return rsd_sum(RSD_SUM_INIT, name, strlen(name));
}

static inline void rsd_transfer_column(struct rsd_coder *c, unsigned nr, uint64_t key)
{
	if (c)
		rsd_coder_scope(c, rsd_hash_mix(key + nr), 0);
}

/* The times at a place are likely to be as those of the last place of its call site, or of its function. */
static inline void rsd_transfer_times(struct rsd_coder *c, uint64_t func, uint64_t site)
{
	if (c)
		rsd_coder_scope(c, site, func);
}

/* Of three: as many calls as before are expected to be the first ones, and the rest to be the others. */
static inline struct rsd_histogram_hints rsd_transfer_hints_first(const struct rsd_timing *t)
{
	return (struct rsd_histogram_hints){ 1, 0, t->before.nr };
}

static inline struct rsd_histogram_hints rsd_transfer_hints_dur(const struct rsd_timing *t)
{
	uint64_t first = t->dur_first.min;

	return (struct rsd_histogram_hints){ 2, t->before.nr - t->dur_first.nr,
		first ? 64 - (unsigned)__builtin_clzll(first) : 0 };
}

/* What the innermost frame of a signature is called to the model; 0: there is none. */
static inline uint64_t rsd_transfer_site(const struct rsd_trace *t, int sig)
{
	const struct rsd_sig *s = sig < 0 ? NULL : &t->sigs.sig[sig];
	const struct rsd_frame *f = s && s->nr ? &t->sigs.frame[s->first] : NULL;

	return f ? rsd_hash_mix(f->offset) + (uint64_t)f->module : 0;
}

/* ---- reading ------------------------------------------------------------------ */

struct rsd_decoder {
	struct rsd_reader *in;
	struct rsd_trace *t;
	struct rsd_buf *why;
	int version, err;
	int64_t next; /* the signature, or the place, that is expected */
};

/* The first failure is kept, and told with its offset. Returns what is kept. */
int rsd_decoder_fail(struct rsd_decoder *d, int err, const char *what);
/* After reads: passes the reader's error on. */
int rsd_decoder_check(struct rsd_decoder *d, const char *what);
/* A count of things of min_len bytes at least; 0 in error. */
size_t rsd_decoder_count(struct rsd_decoder *d, size_t min_len, const char *what);
/* A number from 0 to max; 0 in error. */
int rsd_decoder_int(struct rsd_decoder *d, int max, const char *what);
/* Reads a column into 'p', whose contents it replaces. */
void rsd_decoder_columns(struct rsd_decoder *d, struct rsd_params *p);
/* The next place of the table; the next tree. */
void rsd_decoder_place(struct rsd_decoder *d);
void rsd_decoder_tree(struct rsd_decoder *d);

#endif
