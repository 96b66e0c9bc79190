/*
 * params_queue_impl.h - the inside of a column; for params_*.c
 *
 *	[ frozen bytes | live items | open item ]
 *
 * Items are kept flat: a rep is a header followed by the items of its body, in
 * order, nested ones included. The oldest items, which no fold can reach any more, are
 * varints ('frozen'; all of a column that was decoded or copied is). What a run adds to
 * the shifts of the reps around it stands before it, in items of its own: "moves", one
 * for each such rep, by level: 0 is the innermost rep. Runs of constants have none.
 * The last item is open:
 *
 *  - a run that the next value may continue, or
 *  - a rep whose body is being walked: 'predict' says where the walk stands.
 *
 * Either way 'expect', 'stride' and 'left' give the values that may come next
 * without anything being stored. The open item is not yet a top item of the
 * window, in which the folds are found.
 */
#ifndef RSD_PARAMS_QUEUE_IMPL_H
#define RSD_PARAMS_QUEUE_IMPL_H

#include "opstruct.h"
#include "params_queue.h"

#define RSD_COLUMN_DEPTH 16 /* nesting of reps at most */
#define RSD_COLUMN_MAX_LENGTH (UINT64_C(1) << 62)
#define RSD_COLUMN_MAX_NUMBER (INT64_C(1) << 61) /* values that may be shifted stay below */
#define RSD_COLUMN_MAX_MOVE (INT64_C(1) << 57)	 /* and what one move adds up to */

struct rsd_item {
	int64_t start;	/* run: first value		rep: shift			move: shift */
	int64_t stride; /* run: stride			rep: flat items in the body	move: 0 */
	uint64_t count; /* rep: RSD_ITEM_REP is set;	move: RSD_ITEM_MOVE, and the level */
};
#define RSD_ITEM_REP (UINT64_C(1) << 63)
#define RSD_ITEM_MOVE (UINT64_C(1) << 62)

static inline bool rsd_item_is_rep(const struct rsd_item *i)
{
	return i->count & RSD_ITEM_REP;
}
static inline bool rsd_item_is_move(const struct rsd_item *i)
{
	return (i->count & (RSD_ITEM_REP | RSD_ITEM_MOVE)) == RSD_ITEM_MOVE;
}
static inline int rsd_item_level(const struct rsd_item *move)
{
	return (int)(move->count & ~RSD_ITEM_MOVE);
}
static inline uint64_t rsd_item_count(const struct rsd_item *i)
{
	return i->count & ~RSD_ITEM_REP;
}
static inline int64_t rsd_wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t rsd_wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t rsd_wrap_mul(int64_t a, uint64_t b)
{
	return (int64_t)((uint64_t)a * b);
}
static inline int64_t rsd_item_last(const struct rsd_item *i)
{
	return rsd_wrap_add(i->start, rsd_wrap_mul(i->stride, i->count - 1));
}
/* The rounds that are complete of the reps around an item, outermost first. */
struct rsd_rounds {
	uint64_t done[RSD_COLUMN_DEPTH];
	int nr;
};
/* What a move adds in these rounds. */
static inline int64_t rsd_item_moved(const struct rsd_item *move, const struct rsd_rounds *r)
{
	return rsd_wrap_mul(move->start, r->done[r->nr - 1 - rsd_item_level(move)]);
}
/* Does what the move adds stay small up to round 'done'? */
static inline bool rsd_item_may_move(const struct rsd_item *move, uint64_t done)
{
	uint64_t by = move->start < 0 ? 0 - (uint64_t)move->start : (uint64_t)move->start;

	return !by || done < (uint64_t)RSD_COLUMN_MAX_MOVE / by;
}
static inline bool rsd_is_small(int64_t v)
{
	return v > -RSD_COLUMN_MAX_NUMBER && v < RSD_COLUMN_MAX_NUMBER;
}

struct rsd_frozen {
	struct rsd_buf bytes;
	uint64_t nr;	       /* items */
	int64_t prev;	       /* what the next start is coded against */
	struct rsd_mark *mark; /* ways in, ascending (rsd_column_index); or NULL */
	size_t nr_marks;
};

struct rsd_mark {	 /* where an item of the top level begins */
	uint64_t length; /* of the values before it */
	size_t byte;
	int64_t prev;
};

struct rsd_top_item {	 /* a closed item of the top level */
	uint64_t prefix; /* rolling hash of the keys up to this one's */
	uint64_t key;	 /* shape, and distance from the item before */
	int64_t first;	 /* first value that is no constant; else that of the item before */
	uint32_t at;	 /* index in 'item' */
	uint32_t older;	 /* absolute number of the item before with the same gram slot */
};

struct rsd_window {
	struct rsd_top_item *top;
	size_t nr, alloc;
	uint32_t base;	   /* absolute number of top[0] */
	int64_t first;	   /* 'first' of the item before top[0] */
	uint32_t *head;	   /* newest item by gram slot; NULL while there are few */
	size_t nr_heads;   /* power of two */
	uint64_t idle;	   /* items since the last fold */
	uint64_t dull;	   /* items that folds have not made up for; how many there may be before */
	uint64_t patience; /* the column is only watched. 0: the usual number */
	uint8_t distrust;  /* how often what looked like a repetition was none */
	bool again; /* items that were frozen are appended again: no watch begins meanwhile */
	struct rsd_watch *watch; /* or NULL; then the window is empty */
};

struct rsd_predict_level { /* a rep the walk is in */
	uint32_t rep;	   /* its header */
	uint64_t done;	   /* complete rounds; of the outermost, so far */
	int64_t offset;	   /* added to the values of the current round */
};

struct rsd_predict {
	struct rsd_predict_level level[RSD_COLUMN_DEPTH];
	size_t nr;
	uint32_t at;  /* the run that 'expect' belongs to */
	bool blocked; /* its values would leave the range of numbers */
};

enum rsd_open { RSD_OPEN_NONE, RSD_OPEN_RUN, RSD_OPEN_REP };

struct rsd_column {
	int64_t expect, stride; /* the next value foreseen, and the step to the one after */
	uint64_t left;		/* how many are foreseen; 0: ask */
	uint64_t mark;		/* open run: its count is up to date for left == mark */
	uint64_t length;
	struct rsd_item *item;
	size_t alloc;
	uint32_t nr, open; /* live items, the open one included; its index */
	uint8_t state;	   /* enum rsd_open */
	bool symbolic;
	uint8_t depth; /* of feedings within feedings */
	int err;
	uint64_t vain; /* items appended round by round, as no way was found to add them at once */
	struct rsd_predict *predict;
	struct rsd_window *window;
	struct rsd_frozen *frozen;
};

/* A place among the items in flat order, frozen or live. */
struct rsd_item_place {
	size_t byte;   /* position in the frozen bytes */
	uint32_t live; /* position in the live items */
	uint32_t nr_live;
	int64_t prev;
};

/* params_queue.c */
int rsd_column_reserve(struct rsd_column *c, size_t nr);
void rsd_column_expect_run(struct rsd_column *c);
/* The run that is walked is done: on to the next one of the rep. */
void rsd_column_advance(struct rsd_column *c);
int rsd_column_begin_rep(struct rsd_column *c, uint32_t at);
/* Appends a run of values; exactly as if one by one. */
int rsd_column_feed_run(struct rsd_column *c, int64_t start, int64_t stride, uint64_t count);
/* What is added now to the numbers of the run that is being walked. */
int64_t rsd_column_predict_offset(const struct rsd_column *c);
/* Stores the rest of a rep as it is, without looking for a place in what is there. The rounds are those of the rep itself, too. */
int rsd_column_push_rep(struct rsd_column *c, const struct rsd_column *src,
	struct rsd_item_place *body, const struct rsd_item *rep, uint64_t rounds,
	const struct rsd_rounds *r, int64_t offset);
/*
 * Writes what is open behind the closed items without changing the state; items [0, n)
 * are then the whole of the live part. Returns n. Never fails: room was made before.
 */
uint32_t rsd_column_expose(const struct rsd_column *c);

/* params_fold.c: closes the open item (which becomes a top item) and folds; the state is then NONE
 * or REP. */
int rsd_column_close(struct rsd_column *c);
/* Takes the newest top item, a single value right before the open one, off the window. */
bool rsd_column_unclose(struct rsd_column *c);
void rsd_window_free(struct rsd_window *w);
size_t rsd_window_memory(const struct rsd_window *w);

/* params_watch.c: a column that does not repeat */
bool rsd_column_watch_is_due(const struct rsd_window *w);
int rsd_column_watch_begin(struct rsd_column *c);
/* Closes the open run. What it ends may look like a repetition: then the column is watched no more, and
 * something may be open. */
int rsd_column_watch_close(struct rsd_column *c);
/* A rep is open, which was stored as it came: the window takes it up. */
int rsd_column_watch_stop(struct rsd_column *c);
size_t rsd_column_watch_memory(const struct rsd_watch *k);

/* params_read.c: items in flat order */
void rsd_item_place_start(struct rsd_item_place *p, const struct rsd_column *c);
bool rsd_item_place_next(
	struct rsd_item_place *p, const struct rsd_column *c, struct rsd_item *item);
/* rsd_items_literals from *p on, which is moved past them; none where live items are next. */
size_t rsd_item_place_literals(struct rsd_item_place *p, const struct rsd_column *c, int64_t offset,
	int64_t *out, size_t max, uint64_t *nr);
/* Values in the 'nr' flat items from 'p' on. */
uint64_t rsd_item_place_length(struct rsd_item_place *p, const struct rsd_column *c, uint64_t nr);
/*
 * Copies 'nr' flat items from *p on, which stand in rounds 'r' of the reps around them: their
 * 'offset' and the moves of these reps are added to the numbers. Moves of the innermost 'keep'
 * reps around (and of those among the items) are copied, too. Moves *p past them; returns how
 * many there are in 'out', at most 'nr'.
 */
size_t rsd_item_place_copy(struct rsd_item_place *p, const struct rsd_column *c, uint64_t nr,
	const struct rsd_rounds *r, int keep, int64_t offset, struct rsd_item *out);
/* A column with these flat items, or NULL; checks everything. Input that is not valid sets *err to
 * RSD_ERR_FORMAT. */
struct rsd_column *rsd_column_from_items(
	const struct rsd_item *item, size_t nr, bool symbolic, int *err);

/* All items of 'c', flat (caller frees); NULL on no memory. */
struct rsd_item *rsd_column_items(const struct rsd_column *c, size_t *nr);
/* The items as if their values had been appended one by one. Frees 'item', which may be NULL; NULL on no memory. */
struct rsd_column *rsd_column_refold(struct rsd_item *item, size_t nr, bool symbolic);

/* params_feed.c */
/* Appends 'nr' flat items of 'src' from *p on to 'c', with 'offset' and the moves in rounds 'r'
 * added to numbers. Moves *p past them; 'r' is then as before. */
int rsd_column_feed(struct rsd_column *c, const struct rsd_column *src, struct rsd_item_place *p,
	uint64_t nr, struct rsd_rounds *r, int64_t offset);
/* Appends 'rounds' rounds of a rep from round 'first' on, whose offset is 'offset'; 'r' is what
 * is around the rep. */
int rsd_column_feed_rep(struct rsd_column *c, const struct rsd_column *src,
	struct rsd_item_place *body, const struct rsd_item *rep, uint64_t first, uint64_t rounds,
	struct rsd_rounds *r, int64_t offset);

/* params_text.c: one item as bytes */
void rsd_item_encode(const struct rsd_item *item, int64_t *prev, struct rsd_buf *out);
void rsd_item_decode(struct rsd_item *item, int64_t *prev, struct rsd_reader *in);
/*
 * The next items, *nr at most, as far as each is a value by itself or a short run: their values (no more than 'max', which is
 * at least RSD_SHORT_RUN), with 'offset' added where they are no constants. *nr is then how many items these were, *prev as after
 * them. 'in' has bytes that were decoded before.
 */
#define RSD_SHORT_RUN 3
size_t rsd_items_literals(struct rsd_reader *in, int64_t *prev, int64_t offset, int64_t *out,
	size_t max, uint64_t *nr);
/* Flat items that have been read: nesting, counts, lengths. 0 with *length set, or RSD_ERR_FORMAT.
 */
struct rsd_items_check {
	uint64_t left[RSD_COLUMN_DEPTH + 1];   /* items to come, per level */
	uint64_t length[RSD_COLUMN_DEPTH + 1]; /* values so far, per level */
	uint64_t count[RSD_COLUMN_DEPTH + 1];
	int depth;
	int moves; /* 1 + the level of the move right before; 0: none */
	bool symbolic;
};
void rsd_items_check_start(struct rsd_items_check *k, uint64_t nr, bool symbolic);
int rsd_items_check_next(struct rsd_items_check *k, const struct rsd_item *item);
int rsd_items_check_end(const struct rsd_items_check *k, uint64_t *length);

#endif
