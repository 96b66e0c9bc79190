/*
 * Columns whose values do not repeat, so far as can be seen.
 *
 * To look for a repetition after each item costs hundreds of instructions and 60 bytes an item. A
 * column in which there has been none for long is only watched: items go to the frozen bytes, a
 * block at a time, and a block is looked through at once. What may be a repetition shows in
 *
 *  - grams of items, of which every eighth or so, chosen by their hash, is remembered with its position: the
 *    same distance between equal ones several times in a row;
 *  - the end of the block, for short periods, in which there may be no gram that is chosen,
 *    and for values that advance by steps of their own.
 *
 * Then as much of the bytes as the repetition takes becomes items again and is appended as if it came
 * now: it is found in the ordinary way, or it is not, and what looked like one is trusted less.
 * The form stays a function of the sequence of values.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "params_queue_impl.h"
#include "util.h"

#define BLOCK 256
#define GRAM 16
#define CHOSEN 8 /* one gram of so many is remembered */
#define SEEN_BITS 11
#define MARKS (2 * RSD_COLUMN_PERIOD / BLOCK + 8)
#define HITS 3	   /* at one distance, before it is believed */
#define SHORT 64   /* periods looked for at the end of a block */
#define UNEVEN 16  /* the same, of values that advance by steps of their own */
#define LEAST 48   /* items that have to agree there */
#define DISTRUST 6 /* doublings */
#define AFTER 512  /* items without a fold; columns of fewer are as if there were no watching */
#define MARGIN (2 * BLOCK) /* items before and after the repetition, for it to be found */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

struct mark { /* where in the frozen bytes a block begins */
	size_t byte;
	uint64_t nr;
	int64_t prev;
	uint32_t number; /* of its first top item */
};

struct rsd_watch {
	struct {
		uint32_t tag, number;
	} seen[1 << SEEN_BITS];	 /* grams by hash, and the number of the item they end with */
	struct mark mark[MARKS]; /* a ring */
	uint32_t nr_marks;	 /* ever */
	uint32_t number;	 /* of the next item */
	uint64_t key[GRAM];	 /* of the last items, by number */
	uint64_t hash;		 /* of these */
	int64_t first;
	uint32_t distance; /* of the last two equal grams, */
	uint32_t hits;	   /* and of so many before */
};

size_t rsd_column_watch_memory(const struct rsd_watch *k)
{
	return k ? sizeof(*k) : 0;
}

/* Equal for items of one shape that are as far from the number before. */
static uint64_t item_key(const struct rsd_column *c, const struct rsd_item *i, int64_t *first)
{
	uint64_t from = (uint64_t)i->start * 3;

	if (!c->symbolic && !rsd_is_const(i->start)) {
		from = (uint64_t)rsd_wrap_sub(i->start, *first);
		*first = i->start;
	}
	return rsd_hash_mix(from * BASE + (uint64_t)i->stride * 0xff51afd7ed558ccdu +
			    i->count * 0xd6e8feb86659fd93u);
}

/* The next item's key comes to the gram. If the gram is a chosen one: where was it seen last? */
static void see_key(struct rsd_watch *k, uint64_t key)
{
	static const uint64_t b2 = BASE * BASE, b4 = b2 * b2, b8 = b4 * b4;
	uint64_t *oldest = &k->key[k->number % GRAM], h;
	uint32_t slot, d;

	k->hash = k->hash * BASE + key - *oldest * (b8 * b8);
	*oldest = key;
	h = (k->hash ^ k->hash >> 32) * 0xd6e8feb86659fd93u;
	slot = (uint32_t)(h >> 32) % (1 << SEEN_BITS);
	if (h >> 61 == 0 && k->seen[slot].tag == (uint32_t)h) {
		d = k->number - k->seen[slot].number;
		k->hits = d == k->distance ? k->hits + 1 : 1;
		k->distance = d;
	}
	if (h >> 61 == 0) {
		k->seen[slot].tag = (uint32_t)h;
		k->seen[slot].number = k->number;
	}
	k->number++;
}

static void put_mark(struct rsd_column *c)
{
	struct rsd_watch *k = c->window->watch;

	k->mark[k->nr_marks++ % MARKS] =
		(struct mark){ c->frozen->bytes.len, c->frozen->nr, c->frozen->prev, k->number };
}

static int freeze(struct rsd_column *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		rsd_item_encode(&c->item[i], &c->frozen->prev, &c->frozen->bytes);
	c->frozen->nr += to - from;
	return c->frozen->bytes.err ? RSD_ERR_NOMEM : 0;
}

/* ---- what may be a repetition ------------------------------------------------------- */

static uint32_t short_period(const uint64_t *key, uint32_t nr)
{
	for (uint32_t p = 1; p <= SHORT; p++) {
		uint32_t need = 2 * p > LEAST ? 2 * p : LEAST, same = 0;

		while (same < need && same + p < nr && key[nr - 1 - same] == key[nr - 1 - same - p])
			same++;
		if (same == need)
			return p;
	}
	return 0;
}

/* Is the item as far from the one p before as that one is from the one 2p before? */
static bool advances(const struct rsd_item *i, uint32_t p)
{
	const struct rsd_item *b = i - p, *a = b - p;

	return i->count == b->count && b->count == a->count && i->stride == b->stride &&
	       rsd_wrap_sub(i->start, b->start) == rsd_wrap_sub(b->start, a->start);
}

static uint32_t uneven_period(const struct rsd_item *item, uint32_t nr)
{
	for (uint32_t p = 1; p <= UNEVEN; p++) {
		uint32_t need = 3 * p > LEAST ? 3 * p : LEAST, same = 0;

		while (same < need && same + 2 * p < nr && advances(&item[nr - 1 - same], p))
			same++;
		if (same == need)
			return p;
	}
	return 0;
}

/* A period that the block, whose items have these keys, may be about; or 0. */
static uint32_t suspect(const struct rsd_column *c, const uint64_t *key, uint32_t nr)
{
	const struct rsd_window *w = c->window;
	const struct rsd_watch *k = w->watch;
	uint32_t p = 0;

	if (k->hits >= (uint32_t)HITS << w->distrust && k->distance <= RSD_COLUMN_PERIOD)
		return k->distance;
	if (k->nr_marks % (1u << w->distrust))
		return 0;
	p = short_period(key, nr);
	return p || c->symbolic ? p : uneven_period(c->item, nr);
}

/* ---- beginning and end -------------------------------------------------------------- */

bool rsd_column_watch_is_due(const struct rsd_window *w)
{
	return !w->again && w->dull >= (w->patience ? w->patience : AFTER);
}

static int freeze_window(struct rsd_column *c)
{
	struct rsd_window *w = c->window;
	struct rsd_watch *k = w->watch;
	int err = 0;

	for (size_t i = 0; i < w->nr && !err; i++) {
		const struct rsd_top_item *t = &w->top[i];
		uint32_t end = i + 1 < w->nr ? t[1].at : c->nr;

		if (i % BLOCK == 0)
			put_mark(c);
		see_key(k, rsd_item_is_rep(&c->item[t->at])
				   ? t->key
				   : item_key(c, &c->item[t->at], &k->first));
		err = freeze(c, t->at, end);
	}
	return err;
}

int rsd_column_watch_begin(struct rsd_column *c)
{
	struct rsd_window *w = c->window;
	struct rsd_item *item;
	int err;

	rsd_assert(c->state == RSD_OPEN_NONE);
	if (w->patience && w->distrust < DISTRUST)
		w->distrust++;
	w->watch = rsd_calloc(1, sizeof(*w->watch));
	if (!c->frozen)
		c->frozen = rsd_calloc(1, sizeof(*c->frozen));
	if (!w->watch || !c->frozen)
		return RSD_ERR_NOMEM;
	w->watch->number = w->base;
	w->watch->first = w->first;
	err = freeze_window(c);
	if (err)
		return err;
	w->watch->hits = 0;
	c->nr = 0;
	free(w->top);
	free(w->head);
	w->top = NULL;
	w->head = NULL;
	w->nr = w->alloc = w->nr_heads = 0;
	item = rsd_realloc(c->item, (BLOCK + 2) * sizeof(*item));
	if (item) {
		c->item = item;
		c->alloc = BLOCK + 2;
	}
	return 0;
}

/* The window begins anew, behind what is frozen. */
static void end_watch(struct rsd_column *c)
{
	struct rsd_window *w = c->window;

	w->base = w->watch->number;
	w->first = w->watch->first;
	w->idle = w->dull = 0;
	free(w->watch);
	w->watch = NULL;
}

/* The newest block with at least 'nr' top items from it on, or the oldest that is known. */
static const struct mark *find_mark(const struct rsd_watch *k, uint32_t nr)
{
	uint32_t first = k->nr_marks > MARKS ? k->nr_marks - MARKS : 0, i = k->nr_marks - 1;

	while (i > first && k->number - k->mark[i % MARKS].number < nr)
		i--;
	return &k->mark[i % MARKS];
}

/* What is frozen from mark 'm' on is appended again, and then the live items, all closed ones. */
static int append_again(struct rsd_column *c, const struct mark *m)
{
	struct rsd_column old = { .symbolic = c->symbolic, .item = c->item, .nr = c->nr };
	struct rsd_frozen part = { .nr = c->frozen->nr - m->nr, .prev = m->prev };
	struct rsd_rounds r = { .nr = 0 };
	struct rsd_item_place p, q;
	int err;

	rsd_buf_put(&part.bytes, c->frozen->bytes.data + m->byte, c->frozen->bytes.len - m->byte);
	c->frozen->bytes.len = m->byte;
	c->frozen->nr = m->nr;
	c->frozen->prev = m->prev;
	c->item = NULL;
	c->nr = 0;
	c->alloc = 0;
	old.frozen = &part;
	rsd_item_place_start(&p, &old);
	p.prev = m->prev;
	q = p;
	c->length -= rsd_item_place_length(&q, &old, part.nr + old.nr);
	err = part.bytes.err ? RSD_ERR_NOMEM
			     : rsd_column_feed(c, &old, &p, part.nr + old.nr, &r, 0);
	rsd_buf_release(&part.bytes);
	free(old.item);
	return err;
}

/* Looks through the live items but the last, which may yet become part of a run; they are then frozen. */
static int end_block(struct rsd_column *c)
{
	struct rsd_watch *k = c->window->watch;
	uint64_t key[BLOCK];
	uint32_t p;
	int err;

	for (uint32_t i = 0; i < BLOCK; i++) {
		key[i] = item_key(c, &c->item[i], &k->first);
		see_key(k, key[i]);
	}
	p = suspect(c, key, BLOCK);
	if (p) {
		struct mark m;

		k->number -= BLOCK; /* they have not been frozen */
		m = *find_mark(k, p + MARGIN);
		end_watch(c);
		c->window->base = m.number;
		c->window->again = true;
		err = append_again(c, &m);
		c->window->again = false;
		c->window->dull = 0;
		c->window->patience = AFTER + 2 * (uint64_t)p;
		return err;
	}
	k->number -= BLOCK;
	put_mark(c);
	k->number += BLOCK;
	err = freeze(c, 0, BLOCK);
	memmove(c->item, c->item + BLOCK, (c->nr - BLOCK) * sizeof(*c->item));
	c->nr -= BLOCK;
	return err;
}

int rsd_column_watch_close(struct rsd_column *c)
{
	rsd_assert(c->state == RSD_OPEN_RUN);
	c->state = RSD_OPEN_NONE;
	c->left = 0;
	return c->nr > BLOCK ? end_block(c) : 0;
}

int rsd_column_watch_stop(struct rsd_column *c)
{
	uint32_t nr = c->open;
	int err = freeze(c, 0, nr);

	memmove(c->item, c->item + nr, (c->nr - nr) * sizeof(*c->item));
	c->nr -= nr;
	c->open = 0;
	c->window->watch->number += nr;
	end_watch(c);
	return err;
}
