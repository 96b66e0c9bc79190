#include <stdlib.h>

#include "merge_seq.h"
#include "util.h"

uint64_t rsd_node_set_shape(struct rsd_node *n)
{
	uint64_t h = 0x6c6f6f70;

	if (n->place >= 0)
		return n->shape = rsd_hash_mix((uint64_t)n->place + 1);
	for (struct rsd_node *c = n->first; c; c = c->next)
		h = rsd_hash_mix(h * 3 + rsd_node_set_shape(c));
	return n->shape = h;
}

/* ---- what is alike ------------------------------------------------------------ */

void rsd_keys_release(struct rsd_keys *k)
{
	free(k->key);
	*k = (struct rsd_keys){ NULL, 0 };
}

static int collect(struct rsd_keys *k, size_t *alloc, const struct rsd_node *loop, unsigned depth)
{
	int err = 0;

	for (const struct rsd_node *c = loop->first; c && !err; c = c->next) {
		if (c->place < 0) {
			err = collect(k, alloc, c, depth + 1);
			continue;
		}
		err = RSD_GROW(k->key, k->nr + 1, *alloc);
		if (!err)
			k->key[k->nr++] = (uint64_t)c->place << 8 | (depth & 0xff);
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int rsd_keys_fill(struct rsd_keys *k, const struct rsd_node *loop, int64_t *work)
{
	size_t alloc = 0, nr = 0;

	if (k->key)
		return 0;
	if (RSD_GROW(k->key, 1, alloc) || collect(k, &alloc, loop, 0)) {
		rsd_keys_release(k);
		return RSD_ERR_NOMEM;
	}
	*work -= (int64_t)k->nr;
	qsort(k->key, k->nr, sizeof(*k->key), compare);
	for (size_t i = 0; i < k->nr; i++)
		if (nr == 0 || k->key[i] != k->key[nr - 1])
			k->key[nr++] = k->key[i];
	k->nr = nr;
	return 0;
}

/* Steps over the keys of one place. */
static size_t next_place(const struct rsd_keys *k, size_t i)
{
	uint64_t place = k->key[i] >> 8;

	while (i < k->nr && k->key[i] >> 8 == place)
		i++;
	return i;
}

static size_t count_places(const struct rsd_keys *k)
{
	size_t nr = 0;

	for (size_t i = 0; i < k->nr; i = next_place(k, i))
		nr++;
	return nr;
}

static size_t count_common_keys(const struct rsd_keys *a, const struct rsd_keys *b)
{
	size_t nr = 0;

	for (size_t i = 0, j = 0; i < a->nr && j < b->nr;) {
		uint64_t x = a->key[i], y = b->key[j];

		nr += x == y;
		i += x <= y;
		j += y <= x;
	}
	return nr;
}

static size_t count_common_places(const struct rsd_keys *a, const struct rsd_keys *b)
{
	size_t nr = 0;

	for (size_t i = 0, j = 0; i < a->nr && j < b->nr;) {
		uint64_t x = a->key[i] >> 8, y = b->key[j] >> 8;

		nr += x == y;
		if (x <= y)
			i = next_place(a, i);
		if (y <= x)
			j = next_place(b, j);
	}
	return nr;
}

bool rsd_keys_alike(const struct rsd_keys *a, const struct rsd_keys *b, int64_t *work)
{
	size_t of_a = count_places(a), of_b = count_places(b);
	size_t less = of_a < of_b ? of_a : of_b, more = of_a + of_b - less;
	size_t common = count_common_places(a, b);

	*work -= (int64_t)(a->nr + b->nr);
	return 2 * common >= less && 8 * common >= more && count_common_keys(a, b) > 0;
}

/* ---- loops that ran once --------------------------------------------------------- */

struct iterations {
	uint64_t nr;
	int64_t *work;
	bool too_much;
};

/* Counts of loops are small numbers; what might overflow is not worth the care. */
static int add_iterations(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	const int64_t big = (int64_t)1 << 40, small = (int64_t)1 << 20;
	struct iterations *it = arg;
	int64_t n = (int64_t)count;

	it->too_much = --*it->work <= 0 || start < 0 || start >= big || count >= (uint64_t)small ||
		       stride >= small || stride <= -small || start + stride * (n - 1) < 0 ||
		       it->nr >= (uint64_t)1 << 61;
	if (!it->too_much)
		it->nr += (uint64_t)(n * start + stride * (n * (n - 1) / 2));
	return it->too_much;
}

/*
 * How often a rank passes the body of 'up': its iterations, of all entries.
 * RSD_ERR_RANGE where that is hard to tell.
 */
static int count_passes(const struct rsd_node *up, int rank, int64_t *work, uint64_t *out)
{
	struct iterations it = { 0, work, false };
	struct rsd_column *c;
	enum rsd_encoding enc;
	int err;

	*out = 1;
	if (!up)
		return 0;
	err = rsd_params_get(&up->count, rank, &enc, &c);
	if (err)
		return err == RSD_ERR_END ? RSD_ERR_RANGE : err;
	rsd_column_each(c, add_iterations, &it);
	rsd_column_free(c);
	*out = it.nr;
	return it.too_much ? RSD_ERR_RANGE : 0;
}

/* The count of one, as often as 'rank' gets there; added to 'count'. */
static int add_once(struct rsd_params *count, const struct rsd_node *up, int rank, int64_t *work)
{
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *c;
	uint64_t passes;
	int err = count_passes(up, rank, work, &passes);

	if (err)
		return err;
	c = rsd_column_new(false);
	if (!c || (passes && rsd_column_append_run(c, 1, passes))) {
		rsd_column_free(c);
		return RSD_ERR_NOMEM;
	}
	err = rsd_params_set(&one, rank, c, NULL);
	if (!err)
		err = rsd_params_merge(count, &one);
	rsd_params_release(&one);
	return err;
}

/*
 * A loop for the ranks of 'n', without a body yet. RSD_ERR_RANGE where the
 * work left, or the counts, do not allow it.
 */
static int new_loop(struct rsd_node **out, const struct rsd_node *n, const struct rsd_node *up,
	const struct rsd_ranks *ranks, int64_t *work)
{
	const struct rsd_ranks *of = n->ranks ? n->ranks : ranks;
	struct rsd_node *loop;
	int err = 0;

	*work -= (int64_t)rsd_ranks_count(of);
	if (*work <= 0)
		return RSD_ERR_RANGE;
	loop = rsd_node_new(-1);
	if (!loop)
		return RSD_ERR_NOMEM;
	for (int r = rsd_ranks_first(of); r >= 0 && !err; r = rsd_ranks_next(of, r))
		err = add_once(&loop->count, up, r, work);
	if (err) {
		rsd_node_free(loop);
		return err;
	}
	*out = loop;
	return 0;
}

/* Does the body of 'loop' stand at 'n', all of it for the same ranks? */
static bool is_body(const struct rsd_node *loop, const struct rsd_node *n,
	const struct rsd_node *stop, int64_t *work)
{
	const struct rsd_ranks *of = n->ranks;

	for (const struct rsd_node *c = loop->first; c; c = c->next, n = n->next) {
		--*work;
		if (n == stop || !rsd_node_same_shape(c, n))
			return false;
		if (n->ranks != of && !(n->ranks && of && rsd_ranks_equal(n->ranks, of)))
			return false;
	}
	return true;
}

/* Puts as many nodes into 'loop' as 'like' has; it takes their place, and their participants. */
static void fill_loop(
	struct rsd_seq *s, struct rsd_node **at, struct rsd_node *loop, const struct rsd_node *like)
{
	struct rsd_seq body = { &loop->first, &loop->last, loop };
	struct rsd_node *n = *at;

	rsd_seq_insert(s, loop, n);
	loop->ranks = n->ranks;
	loop->shape = like->shape;
	n->ranks = NULL;
	for (const struct rsd_node *c = like->first; c; c = c->next) {
		n = loop->next;
		rsd_seq_unlink(s, n);
		rsd_seq_insert(&body, n, NULL);
		if (n->ranks)
			rsd_ranks_release(n->ranks);
		free(n->ranks);
		n->ranks = NULL;
	}
	*at = loop;
}

static const struct rsd_node *find_loop(const struct rsd_map *by_head, const struct rsd_node *n,
	const struct rsd_node *stop, int64_t *work)
{
	const uint64_t *known = rsd_map_find(by_head, n->shape);
	const struct rsd_node *loop = known ? (const struct rsd_node *)(uintptr_t)*known : NULL;

	return loop && is_body(loop, n, stop, work) ? loop : NULL;
}

int rsd_seq_wrap(struct rsd_seq *plain, struct rsd_node **at, const struct rsd_node *stop,
	const struct rsd_node *from, const struct rsd_node *to, const struct rsd_node *up,
	const struct rsd_ranks *ranks, int64_t *work, bool *done)
{
	struct rsd_map by_head = RSD_MAP_INIT;
	bool first = true;
	int err = 0;

	*done = false;
	for (; from != to && !err; from = from->next)
		if (from->place < 0 && from->first)
			err = rsd_map_set(&by_head, from->first->shape, (uintptr_t)from);
	for (struct rsd_node *n = *at; by_head.nr && n != stop && *work > 0 && !err; n = n->next) {
		const struct rsd_node *like = find_loop(&by_head, n, stop, work);
		struct rsd_node *loop;

		err = like ? new_loop(&loop, n, up, ranks, work) : 0;
		if (!err && like) {
			fill_loop(plain, &n, loop, like);
			*done = true;
		}
		if (err == RSD_ERR_RANGE)
			err = 0;
		if (first)
			*at = n;
		first = false;
	}
	rsd_map_release(&by_head);
	return err;
}
