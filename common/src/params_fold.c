/*
 * Finds repetitions among the closed items of a column.
 *
 * Each item has a key: its shape (stride and count; of a rep all of its body,
 * relative to the first value), and how far it starts from the item before it. So p
 * items that repeat the p before them have the same keys, whatever was added to their
 * values - but for the first key, which looks back over the seam.
 *
 * Periods up to SHORT are tried one by one. A longer one shows in the last GRAM keys,
 * which an index leads from to the newest places with the same keys; a rolling
 * hash over all keys (Karp and Rabin) then compares the whole period in O(log p), and a
 * comparison of items confirms it. Two rounds make a rep where the values are equal, three
 * where something was added: any two things differ by something.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "params_queue_impl.h"
#include "util.h"

#define SHORT 16
#define GRAM 16
#define EVERY 4 /* items after which steps of their own are looked for */
#define TRIES 8 /* places of the same gram that are looked at */
#define NONE UINT32_MAX
#define KEEP (2 * RSD_COLUMN_PERIOD)
#define SLACK 4096 /* items frozen at once */
#define WORTH 2	   /* items that one which a fold has saved makes up for */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

void rsd_window_free(struct rsd_window *w)
{
	if (!w)
		return;
	free(w->top);
	free(w->head);
	free(w->watch);
	free(w);
}

size_t rsd_window_memory(const struct rsd_window *w)
{
	if (!w)
		return 0;
	return sizeof(*w) + w->alloc * sizeof(*w->top) + w->nr_heads * sizeof(*w->head) +
	       rsd_column_watch_memory(w->watch);
}

static uint64_t power(size_t n)
{
	uint64_t r = 1, b = BASE;

	for (; n; n >>= 1, b *= b)
		if (n & 1)
			r *= b;
	return r;
}

/* Hash of keys [i, j). */
static uint64_t range_hash(const struct rsd_window *w, size_t i, size_t j, uint64_t pow)
{
	return w->top[j - 1].prefix - (i ? w->top[i - 1].prefix : 0) * pow;
}

/* Where in 'head' the item at 'i' >= GRAM belongs: by the GRAM keys that end with it. */
static size_t gram_slot(const struct rsd_window *w, size_t i)
{
	static const uint64_t b2 = BASE * BASE, b4 = b2 * b2, b8 = b4 * b4;
	uint64_t h = w->top[i].prefix - w->top[i - GRAM].prefix * (b8 * b8);

	return (size_t)((h ^ h >> 32) * BASE >> 32) & (w->nr_heads - 1);
}

static void index_item(struct rsd_window *w, size_t i)
{
	size_t slot;

	w->top[i].older = NONE;
	if (i < GRAM)
		return;
	slot = gram_slot(w, i);
	w->top[i].older = w->head[slot];
	w->head[slot] = w->base + (uint32_t)i;
}

/* Makes the index as large as the window asks for, from one that may be absent. */
static int rebuild_index(struct rsd_window *w, size_t nr_heads)
{
	uint32_t *head = rsd_malloc(nr_heads * sizeof(*head));

	if (!head)
		return RSD_ERR_NOMEM;
	free(w->head);
	w->head = head;
	w->nr_heads = nr_heads;
	memset(head, 0xff, nr_heads * sizeof(*head));
	for (size_t i = 0; i < w->nr; i++)
		index_item(w, i);
	return 0;
}

/* Takes the newest items off; the index is as it was before they came. */
static void pop_items(struct rsd_window *w, size_t nr)
{
	for (; nr > 0; nr--) {
		size_t i = --w->nr;

		if (w->head && i >= GRAM)
			w->head[gram_slot(w, i)] = w->top[i].older;
	}
}

/* Mixes one flat item into a hash; starts count as differences to *first, which is moved on. */
static uint64_t mix_item(uint64_t h, const struct rsd_item *i, int64_t *first, bool *has_first)
{
	int64_t start = i->start;

	if (!rsd_item_is_rep(i) && !rsd_item_is_move(i) && !rsd_is_const(start)) {
		start = *has_first ? rsd_wrap_sub(start, *first) : 0;
		*first = i->start;
		*has_first = true;
	}
	h = rsd_hash_mix(h ^ (uint64_t)start);
	return rsd_hash_mix(h + (uint64_t)i->stride * BASE + i->count * 0xd6e8feb86659fd93u);
}

/* The top item for the flat items [at, nr): its key without the distance, its first value. */
static void describe(const struct rsd_column *c, struct rsd_top_item *t)
{
	const struct rsd_item *item = &c->item[t->at];
	int64_t at_first = t->first, first = 0;
	bool has_first = false, had = false;

	if (!rsd_item_is_rep(item) && !rsd_is_const(item->start)) {
		t->first = item->start;
		t->key = rsd_hash_mix(
			(uint64_t)item->stride * BASE + item->count * 0xd6e8feb86659fd93u);
	} else {
		t->key = 1;
		for (uint32_t i = t->at; i < c->nr; i++) {
			t->key = mix_item(t->key, &c->item[i], &first, &has_first);
			if (has_first && !had) {
				t->first = first;
				had = true;
			}
		}
	}
	t->key = rsd_hash_mix(t->key ^ ((uint64_t)rsd_wrap_sub(t->first, at_first) * BASE));
}

/* The oldest 'nr' top items become bytes. */
static int freeze(struct rsd_column *c, size_t nr)
{
	struct rsd_window *w = c->window;
	uint32_t items = w->top[nr].at;

	if (!c->frozen) {
		c->frozen = rsd_calloc(1, sizeof(*c->frozen));
		if (!c->frozen)
			return RSD_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < items; i++)
		rsd_item_encode(&c->item[i], &c->frozen->prev, &c->frozen->bytes);
	if (c->frozen->bytes.err)
		return RSD_ERR_NOMEM;
	c->frozen->nr += items;
	c->nr -= items;
	memmove(c->item, c->item + items, c->nr * sizeof(*c->item));
	w->first = w->top[nr - 1].first;
	w->base += (uint32_t)nr;
	w->nr -= nr;
	memmove(w->top, w->top + nr, w->nr * sizeof(*w->top));
	for (size_t i = 0; i < w->nr; i++)
		w->top[i].at -= items;
	return 0;
}

static int bound_window(struct rsd_column *c)
{
	struct rsd_window *w = c->window;

	if (rsd_column_watch_is_due(w))
		return rsd_column_watch_begin(c);
	if (w->nr > KEEP + SLACK)
		return freeze(c, SLACK);
	return 0;
}

/* What the item at 'at' says about whether it is worth while to look for repetitions. */
static void weigh(struct rsd_column *c, uint32_t at)
{
	struct rsd_window *w = c->window;
	const struct rsd_item *i = &c->item[at];
	uint64_t saved;

	w->dull++;
	if (!rsd_item_is_rep(i))
		return;
	saved = (uint64_t)i->stride * (rsd_item_count(i) - 1) * WORTH;
	if (saved < w->dull) {
		w->dull -= saved;
		return;
	}
	w->dull = w->patience = 0;
	w->distrust = 0;
}

/* The open item, whose count is right, becomes a top item. */
static int push_item(struct rsd_column *c)
{
	struct rsd_window *w = c->window;
	struct rsd_top_item *t;
	int err;

	if (!w) {
		w = c->window = rsd_calloc(1, sizeof(*w));
		if (!w)
			return RSD_ERR_NOMEM;
	}
	err = RSD_GROW(w->top, w->nr + 1, w->alloc);
	if (err)
		return err;
	t = &w->top[w->nr];
	t->at = c->open;
	t->first = w->nr ? t[-1].first : w->first;
	describe(c, t);
	t->prefix = (w->nr ? t[-1].prefix : 0) * BASE + t->key;
	w->nr++;
	w->idle++;
	weigh(c, t->at);
	c->state = RSD_OPEN_NONE;
	c->left = 0;
	if (w->nr <= 2 * GRAM + 1)
		return 0;
	if (!w->head || w->nr > w->nr_heads)
		return rebuild_index(w, w->head ? 2 * w->nr_heads : 4 * GRAM);
	index_item(w, w->nr - 1);
	return 0;
}

/* A run of numbers: what a shift is added to. */
static bool is_shifted(const struct rsd_item *i)
{
	return !rsd_item_is_rep(i) && !rsd_item_is_move(i) && !rsd_is_const(i->start);
}

/* Are the flat items [b, b+nr) those of [a, a+nr), with 'shift' added to what is no constant? */
static bool same_items(const struct rsd_item *a, const struct rsd_item *b, size_t nr, int64_t shift)
{
	for (size_t i = 0; i < nr; i++) {
		bool add_shift = is_shifted(&a[i]);

		if (a[i].count != b[i].count || a[i].stride != b[i].stride ||
			is_shifted(&b[i]) != add_shift ||
			b[i].start != rsd_wrap_add(a[i].start, add_shift ? shift : 0))
			return false;
	}
	return true;
}

/* Do the items [a, a+nr), [b, b+nr), [c, c+nr) advance evenly, each run of numbers by its own step? */
static bool linear_items(
	const struct rsd_item *a, const struct rsd_item *b, const struct rsd_item *c, size_t nr)
{
	for (size_t i = nr; i-- > 0;) {
		int64_t step = rsd_wrap_sub(c[i].start, b[i].start);

		if (a[i].count != b[i].count || b[i].count != c[i].count ||
			a[i].stride != b[i].stride || b[i].stride != c[i].stride ||
			rsd_is_const(a[i].start) != rsd_is_const(b[i].start) ||
			rsd_is_const(b[i].start) != rsd_is_const(c[i].start) ||
			(step && !is_shifted(&c[i])) ||
			step != rsd_wrap_sub(b[i].start, a[i].start) ||
			step >= RSD_COLUMN_MAX_MOVE || step <= -RSD_COLUMN_MAX_MOVE)
			return false;
	}
	return true;
}

/* May the values be shifted? Nothing near the ends of the number range. */
static bool may_shift(const struct rsd_item *a, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_shifted(&a[i]) &&
			!(rsd_is_small(a[i].start) && rsd_is_small(rsd_item_last(&a[i]))))
			return false;
	return true;
}

static bool too_deep(const struct rsd_item *a, size_t nr)
{
	uint64_t end[RSD_COLUMN_DEPTH];
	int depth = 0;

	for (size_t i = 0; i < nr; i++) {
		while (depth && i >= end[depth - 1])
			depth--;
		if (!rsd_item_is_rep(&a[i]))
			continue;
		if (depth == RSD_COLUMN_DEPTH - 2)
			return true;
		end[depth++] = i + 1 + (uint64_t)a[i].stride;
	}
	return false;
}

/* Flat index where top item i begins; i may be the number of items. */
static uint32_t begin(const struct rsd_column *c, size_t i)
{
	return i < c->window->nr ? c->window->top[i].at : c->nr;
}

/* A long period has been folded: what it took to find it is given back. */
static void shrink(struct rsd_column *c)
{
	struct rsd_window *w = c->window;
	struct rsd_top_item *top;
	struct rsd_item *item;

	if (w->alloc > 16 * GRAM && w->nr < w->alloc / 4) {
		top = rsd_realloc(w->top, (w->nr + GRAM) * sizeof(*top));
		if (top) {
			w->top = top;
			w->alloc = w->nr + GRAM;
		}
		if (w->nr <= 2 * GRAM) {
			free(w->head);
			w->head = NULL;
			w->nr_heads = 0;
		}
	}
	if (c->alloc > 16 * GRAM && c->nr < c->alloc / 2) {
		item = rsd_realloc(c->item, (size_t)c->nr * sizeof(*item));
		if (item) {
			c->item = item;
			c->alloc = c->nr;
		}
	}
}

/* A repetition that the newest items are. */
struct found {
	size_t p, rounds; /* top items of a round */
	int64_t shift;	  /* of all numbers, unless */
	bool uneven;	  /* each run advances by its own step */
};

/* Is the round before the first of 'rounds' known ones, 'len' flat items each, another one? */
static bool one_more(const struct rsd_column *c, const struct found *f, size_t rounds, uint32_t len)
{
	const struct rsd_window *w = c->window;
	const struct rsd_item *a, *b;

	if (w->nr < (rounds + 1) * f->p)
		return false;
	a = &c->item[begin(c, w->nr - (rounds + 1) * f->p)];
	b = &c->item[begin(c, w->nr - rounds * f->p)];
	if ((size_t)(b - a) != len)
		return false;
	return f->uneven ? linear_items(a, b, b + len, len) : same_items(a, b, len, f->shift);
}

/* The step that most runs of numbers have in common, if more than half of them do, else 0. */
static int64_t common_step(const struct rsd_item *a, const struct rsd_item *b, size_t nr)
{
	size_t runs = 0, votes = 0, same = 0;
	int64_t best = 0;

	for (size_t i = 0; i < nr; i++) { /* Boyer and Moore's majority vote */
		if (!is_shifted(&a[i]))
			continue;
		if (!votes)
			best = rsd_wrap_sub(b[i].start, a[i].start);
		votes = rsd_wrap_sub(b[i].start, a[i].start) == best ? votes + 1 : votes - 1;
		runs++;
	}
	for (size_t i = 0; i < nr; i++)
		same += is_shifted(&a[i]) && rsd_wrap_sub(b[i].start, a[i].start) == best;
	return 2 * same > runs ? best : 0;
}

/*
 * Writes the items [a, a+nr), inside 'level' reps of a body, with the moves that make [b, b+nr)
 * of them when 'shift' is added once. Returns how many.
 */
static uint32_t put_moves(struct rsd_item *out, const struct rsd_item *a, const struct rsd_item *b,
	size_t nr, int64_t shift, uint64_t level)
{
	uint32_t n = 0, body;

	for (size_t i = 0; i < nr; i++) {
		int64_t own = rsd_wrap_sub(rsd_wrap_sub(b[i].start, a[i].start), shift);

		if (is_shifted(&a[i]) && own)
			out[n++] = (struct rsd_item){ own, 0, RSD_ITEM_MOVE | level };
		out[n++] = a[i];
		if (!rsd_item_is_rep(&a[i]))
			continue;
		body = put_moves(
			&out[n], &a[i + 1], &b[i + 1], (size_t)a[i].stride, shift, level + 1);
		i += (size_t)a[i].stride;
		out[n - 1].stride = body;
		n += body;
	}
	return n;
}

/* What is found is replaced by a rep, which becomes the open item. */
static int fold(struct rsd_column *c, const struct found *f)
{
	struct rsd_window *w = c->window;
	uint32_t at, len = c->nr - begin(c, w->nr - f->p), nr = len;
	int64_t shift = f->shift;
	size_t rounds = f->rounds;
	int err = rsd_column_reserve(c, (size_t)c->nr + 1 + (f->uneven ? 2 * (size_t)len : 0));

	if (err)
		return err;
	/* A round may have been missed at the front: the first key of the first round was another.
	 */
	while (one_more(c, f, rounds, len))
		rounds++;
	at = begin(c, w->nr - rounds * f->p);
	pop_items(w, rounds * f->p);
	if (f->uneven) {
		const struct rsd_item *a = &c->item[at];

		shift = common_step(a, a + len, len);
		nr = put_moves(&c->item[c->nr], a, a + len, len, shift, 0);
		memmove(&c->item[at + 1], &c->item[c->nr], nr * sizeof(*c->item));
	} else {
		memmove(&c->item[at + 1], &c->item[at], len * sizeof(*c->item));
	}
	c->item[at] = (struct rsd_item){ shift, nr, rounds | RSD_ITEM_REP };
	c->nr = at + 1 + nr;
	w->idle = 0;
	shrink(c);
	return rsd_column_begin_rep(c, at);
}

/*
 * The last p - 1 keys equal those p items before: is it a repetition?
 */
static bool confirm(const struct rsd_column *c, size_t p, struct found *f)
{
	const struct rsd_window *w = c->window;
	const struct rsd_top_item *t = &w->top[w->nr - 1];
	int64_t shift = rsd_wrap_sub(t->first, t[-(ptrdiff_t)p].first);
	uint32_t a, b = begin(c, w->nr - p), len = c->nr - b;

	*f = (struct found){ .p = p, .rounds = shift ? 3 : 2, .shift = shift };
	if (w->nr < f->rounds * p || (shift && (c->symbolic || !rsd_is_small(shift))))
		return false;
	for (size_t i = 1; i < f->rounds; i++, b = a) {
		a = begin(c, w->nr - (i + 1) * p);
		if (b - a != len || !same_items(&c->item[a], &c->item[b], len, shift))
			return false;
	}
	if (too_deep(&c->item[b], len))
		return false;
	return !shift || may_shift(&c->item[b], f->rounds * len);
}

/* Does the top item at 'i' advance as evenly as the first values say, from p and 2p items before? */
static bool looks_linear(const struct rsd_column *c, size_t i, size_t p)
{
	const struct rsd_top_item *t = &c->window->top[i], *u = t - p, *v = u - p;
	const struct rsd_item *a = &c->item[v->at], *b = &c->item[u->at], *d = &c->item[t->at];

	if (d->count != b->count || b->count != a->count || d->stride != b->stride)
		return false;
	if (rsd_item_is_rep(d))
		return rsd_wrap_sub(t->first, u->first) == rsd_wrap_sub(u->first, v->first);
	return rsd_wrap_sub(d->start, b->start) == rsd_wrap_sub(b->start, a->start);
}

/*
 * Are the last p items one of at least four rounds in each of which every run of numbers advances by a step
 * of its own? Three would not do: with a step for each value little is left to agree by chance.
 */
static bool confirm_uneven(const struct rsd_column *c, size_t p, struct found *f)
{
	const struct rsd_window *w = c->window;
	const struct rsd_item *first;
	uint32_t len = c->nr - begin(c, w->nr - p);

	for (size_t i = 1; i < 2 * p; i++)
		if (!looks_linear(c, w->nr - 1 - i, p))
			return false;
	for (size_t i = 1; i < 4; i++)
		if (begin(c, w->nr - i * p) - begin(c, w->nr - (i + 1) * p) != len)
			return false;
	first = &c->item[begin(c, w->nr - 4 * p)];
	*f = (struct found){ .p = p, .rounds = 4, .uneven = true };
	return linear_items(first + len, first + 2 * len, first + 3 * len, len) &&
	       linear_items(first, first + len, first + 2 * len, len) && !too_deep(first, len) &&
	       may_shift(first, 4 * (size_t)len);
}

static bool same_keys(const struct rsd_top_item *t, size_t p, size_t nr)
{
	for (size_t i = 0; i < nr; i++, t--)
		if (t->key != t[-(ptrdiff_t)p].key)
			return false;
	return true;
}

/* A repetition whose values are all shifted alike, if the newest item completes one. */
static bool find_even(const struct rsd_column *c, struct found *f)
{
	const struct rsd_window *w = c->window;
	const struct rsd_top_item *t = &w->top[w->nr - 1];
	uint32_t number = t->older;

	/* A single value is never a period of one: repeated it is a run. */
	if (w->nr >= 2 && c->item[t->at].count > 1 && confirm(c, 1, f))
		return true;
	for (size_t p = 2; p <= SHORT && 2 * p <= w->nr; p++)
		if (t->key == t[-(ptrdiff_t)p].key && same_keys(t, p, p - 1) && confirm(c, p, f))
			return true;
	if (!w->head || w->nr <= GRAM)
		return false;
	for (int tries = 0; tries < TRIES && number != NONE; tries++) {
		uint32_t i = number - w->base;
		size_t p = w->nr - 1 - i;
		uint64_t pow;

		if (i >= w->nr || 2 * p > w->nr || p > RSD_COLUMN_PERIOD)
			break;
		number = w->top[i].older;
		if (p <= SHORT || !same_keys(t, p, GRAM))
			continue;
		pow = power(p - 1);
		if (range_hash(w, w->nr - p + 1, w->nr, pow) ==
				range_hash(w, w->nr - 2 * p + 1, w->nr - p, pow) &&
			confirm(c, p, f))
			return true;
	}
	return false;
}

/*
 * One whose runs advance by steps of their own. It shows at every item of it and not only
 * at the end of a round, so it is enough to look now and then; and after a fold, as rounds
 * that end with it are short in items. A run alone is no such thing.
 */
static bool find_uneven(const struct rsd_column *c, struct found *f)
{
	const struct rsd_window *w = c->window;
	const struct rsd_top_item *t = &w->top[w->nr - 1];
	size_t most = w->nr / 4 < SHORT ? w->nr / 4 : SHORT;

	if (c->symbolic || (w->idle > EVERY && w->idle % EVERY != 0))
		return false;
	for (size_t p = 1; p <= most; p++) {
		int64_t before = t[-(ptrdiff_t)p].first;

		if (rsd_wrap_sub(t->first, before) ==
				rsd_wrap_sub(before, t[-2 * (ptrdiff_t)p].first) &&
			(p > 1 || rsd_item_is_rep(&c->item[t->at])) &&
			looks_linear(c, w->nr - 1, p) && confirm_uneven(c, p, f))
			return true;
	}
	return false;
}

int rsd_column_close(struct rsd_column *c)
{
	struct found f;
	int err;

	rsd_assert(c->state != RSD_OPEN_NONE);
	if (c->state == RSD_OPEN_RUN)
		rsd_column_expose(c);
	if (c->window && c->window->watch) {
		if (c->state == RSD_OPEN_RUN)
			return rsd_column_watch_close(c);
		err = rsd_column_watch_stop(c);
		if (err)
			return err;
	}
	err = push_item(c);
	if (err)
		return err;
	return find_even(c, &f) || find_uneven(c, &f) ? fold(c, &f) : bound_window(c);
}

bool rsd_column_unclose(struct rsd_column *c)
{
	struct rsd_window *w = c->window;

	if (w && w->watch)
		return c->open > 0;
	if (!w || !w->nr || w->top[w->nr - 1].at + 1 != c->open)
		return false;
	pop_items(w, 1);
	w->idle--;
	w->dull -= w->dull > 0;
	return true;
}
