/* links.c - see links.h */
#include "links.h"

#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MOST_BUNCHES 8192
#define FEW 3 /* senders that have only a distance in common */

struct report_bunch { /* senders of one row that send alike */
	bool relative;
	int64_t to;
	uint64_t messages;
	double bytes;
	struct rsd_ranks senders;
};

void report_links_init(struct report_links *l, int nr_ranks)
{
	*l = (struct report_links){ .nr_ranks = nr_ranks };
	l->all.width = (nr_ranks + REPORT_RASTER - 1) / REPORT_RASTER;
	l->by_row.width = l->all.width;
	l->by_row.by_row = true;
}

static void release_bunches(struct report_links *l)
{
	for (size_t i = 0; i < l->nr_bunches; i++)
		rsd_ranks_release(&l->bunch[i].senders);
	l->nr_bunches = 0;
	rsd_map_release(&l->bunch_by_key);
}

void report_links_release(struct report_links *l)
{
	release_bunches(l);
	for (size_t i = 0; i < l->nr_sets; i++)
		rsd_ranks_release(&l->set[i]);
	free(l->set);
	free(l->link);
	free(l->bunch);
	free(l->all.cell);
	free(l->by_row.cell);
	rsd_map_release(&l->set_by_hash);
	rsd_map_release(&l->link_by_key);
	rsd_map_release(&l->all.by_place);
	rsd_map_release(&l->by_row.by_place);
}

/* ---- what is irregular: cells ------------------------------------------------------------- */

static uint64_t place_key(size_t row, uint32_t from, uint32_t to)
{
	return rsd_hash_mix(rsd_hash_mix((uint64_t)row + 1) + ((uint64_t)from << 32 | to));
}

static int put_cell(struct report_raster *r, const struct report_cell *c)
{
	uint64_t key = place_key(c->row, c->from, c->to), *at;

	/* Another cell with this hash: the next one. */
	for (; (at = rsd_map_find(&r->by_place, key)) != NULL; key++) {
		struct report_cell *x = &r->cell[*at];

		if (x->row != c->row || x->from != c->from || x->to != c->to)
			continue;
		x->messages += c->messages;
		x->bytes += c->bytes;
		return 0;
	}
	if (RSD_GROW(r->cell, r->nr + 1, r->alloc) || rsd_map_set(&r->by_place, key, r->nr))
		return RSD_ERR_NOMEM;
	r->cell[r->nr++] = *c;
	return 0;
}

static int coarsen(struct report_raster *r)
{
	size_t nr = r->nr;
	int err = 0;

	rsd_map_release(&r->by_place);
	r->nr = 0;
	r->width *= 2;
	for (size_t i = 0; i < nr && !err; i++) {
		struct report_cell c = r->cell[i];

		c.from /= 2;
		c.to /= 2;
		err = put_cell(r, &c);
	}
	return err;
}

static int add_cell(struct report_raster *r, size_t row, int64_t from, int64_t to, double messages,
	double bytes)
{
	const struct report_cell c = { row, (uint32_t)(from / r->width), (uint32_t)(to / r->width),
		messages, bytes };
	int err = put_cell(r, &c);

	while (!err && r->nr > REPORT_MOST_CELLS && r->width < INT32_MAX / 2)
		err = coarsen(r);
	return err;
}

static int add_to_cells(struct report_links *l, size_t row, const struct report_bunch *b)
{
	int err = 0;

	for (int s = rsd_ranks_first(&b->senders); s >= 0 && !err;
		s = rsd_ranks_next(&b->senders, s)) {
		int64_t to = b->relative ? (s + b->to) % l->nr_ranks : b->to;

		err = add_cell(&l->all, SIZE_MAX, s, to, (double)b->messages, b->bytes);
		if (!err)
			err = add_cell(&l->by_row, row, s, to, (double)b->messages, b->bytes);
	}
	return err;
}

/* ---- what is regular: links --------------------------------------------------------------- */

/* The number of a set, or an error; RSD_ERR_RANGE where there are too many runs. */
static int find_set(struct report_links *l, const struct rsd_ranks *s)
{
	uint64_t key = 0, *at;
	int err;

	/* Field by field: a run has dimensions that do not count. */
	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_run *run = &s->run[i];

		key = rsd_hash_mix(key + (uint64_t)run->first + 1);
		for (int d = 0; d < run->nr_dims; d++)
			key = rsd_hash_mix(key + ((uint64_t)run->dim[d].count << 32) +
					   (uint64_t)run->dim[d].stride);
	}
	for (; (at = rsd_map_find(&l->set_by_hash, key)) != NULL; key++)
		if (rsd_ranks_equal(&l->set[*at], s))
			return (int)*at;
	if (l->nr_runs + s->nr > REPORT_MOST_RUNS)
		return RSD_ERR_RANGE;
	err = RSD_GROW(l->set, l->nr_sets + 1, l->alloc_sets);
	if (err)
		return err;
	l->set[l->nr_sets] = RSD_RANKS_INIT;
	err = rsd_ranks_add(&l->set[l->nr_sets], s);
	if (!err)
		err = rsd_map_set(&l->set_by_hash, key, l->nr_sets);
	l->nr_runs += s->nr;
	l->nr_sets++;
	return err ? err : (int)l->nr_sets - 1;
}

static bool is_alike(const struct report_link *a, const struct report_link *b)
{
	return a->row == b->row && a->set == b->set && a->relative == b->relative && a->to == b->to;
}

/* RSD_ERR_RANGE where there are too many. */
static int add_link(struct report_links *l, const struct report_link *x)
{
	uint64_t key = rsd_hash_mix(((uint64_t)x->row << 32) + (uint64_t)x->set), *at;

	key = rsd_hash_mix(key + ((uint64_t)x->to << 1) + x->relative);
	for (; (at = rsd_map_find(&l->link_by_key, key)) != NULL; key++) {
		if (!is_alike(&l->link[*at], x))
			continue;
		l->link[*at].messages += x->messages;
		l->link[*at].bytes += x->bytes;
		return 0;
	}
	if (l->nr >= REPORT_MOST_LINKS * (x->row == REPORT_OTHERS ? 2 : 1))
		return RSD_ERR_RANGE;
	if (RSD_GROW(l->link, l->nr + 1, l->alloc) || rsd_map_set(&l->link_by_key, key, l->nr))
		return RSD_ERR_NOMEM;
	l->link[l->nr++] = *x;
	return 0;
}

/* RSD_ERR_RANGE where it has to go to the cells. */
static int try_link(struct report_links *l, size_t row, const struct report_bunch *b)
{
	struct report_link x = { row, 0, b->relative, b->to, b->messages, b->bytes };
	int err = x.set = find_set(l, &b->senders);

	if (err >= 0)
		err = add_link(l, &x);
	if (err == RSD_ERR_RANGE && x.set >= 0) {
		x.row = REPORT_OTHERS;
		err = add_link(l, &x);
	}
	return err;
}

/* Few senders, many bunches: not worth a link each. */
static int add_bunch(struct report_links *l, size_t row, const struct report_bunch *b)
{
	bool few = l->nr_ranks > REPORT_RASTER && rsd_ranks_count(&b->senders) <= FEW;
	int err = few && l->nr_few >= REPORT_MOST_FEW ? RSD_ERR_RANGE : try_link(l, row, b);

	l->nr_few += few;
	return err == RSD_ERR_RANGE ? add_to_cells(l, row, b) : err;
}

int report_links_add(struct report_links *l, size_t row, const struct rsd_ranks *senders,
	bool relative, int64_t to, uint64_t messages, double bytes)
{
	const struct report_bunch b = { relative, to, messages, bytes, *senders };

	if (to < 0 || to >= l->nr_ranks) {
		l->lost_messages += (double)messages * (double)rsd_ranks_count(senders);
		l->lost_bytes += bytes * (double)rsd_ranks_count(senders);
		return 0;
	}
	return add_bunch(l, row, &b);
}

/* ---- rank by rank -------------------------------------------------------------------------- */

/* The bunch that sends alike, or a new one. NULL: no memory. */
static struct report_bunch *find_bunch(
	struct report_links *l, bool relative, int64_t to, uint64_t messages, double bytes)
{
	uint64_t bits, key, *at;

	memcpy(&bits, &bytes, sizeof(bits));
	key = rsd_hash_mix(((uint64_t)to << 1) + relative);
	key = rsd_hash_mix(rsd_hash_mix(key + messages) + bits);
	for (; (at = rsd_map_find(&l->bunch_by_key, key)) != NULL; key++) {
		struct report_bunch *b = &l->bunch[*at];

		if (b->relative == relative && b->to == to && b->messages == messages &&
			b->bytes == bytes)
			return b;
	}
	if (RSD_GROW(l->bunch, l->nr_bunches + 1, l->alloc_bunches) ||
		rsd_map_set(&l->bunch_by_key, key, l->nr_bunches))
		return NULL;
	l->bunch[l->nr_bunches] =
		(struct report_bunch){ relative, to, messages, bytes, RSD_RANKS_INIT };
	return &l->bunch[l->nr_bunches++];
}

/* Few ranks have that distance: by destination they may be more. Of all that are left each is a link. */
static int regroup(struct report_links *l)
{
	size_t nr = l->nr_bunches;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct rsd_ranks few = l->bunch[i].senders;

		if (!l->bunch[i].relative || rsd_ranks_count(&few) > FEW)
			continue;
		l->bunch[i].senders = RSD_RANKS_INIT;
		for (int s = rsd_ranks_first(&few); s >= 0 && !err; s = rsd_ranks_next(&few, s)) {
			struct rsd_ranks one = RSD_RANKS_INIT;
			struct report_bunch *b =
				find_bunch(l, false, (s + l->bunch[i].to) % l->nr_ranks,
					l->bunch[i].messages, l->bunch[i].bytes);

			err = b ? rsd_ranks_append(&one, s) : RSD_ERR_NOMEM;
			if (!err)
				err = rsd_ranks_add(&b->senders, &one);
			rsd_ranks_release(&one);
		}
		rsd_ranks_release(&few);
	}
	return err;
}

int report_links_flush(struct report_links *l, size_t row)
{
	int err = l->nr_bunches > 8 ? regroup(l) : 0;

	for (size_t i = 0; i < l->nr_bunches && !err; i++)
		if (!rsd_ranks_is_empty(&l->bunch[i].senders))
			err = add_bunch(l, row, &l->bunch[i]);
	release_bunches(l);
	return err;
}

int report_links_add_one(struct report_links *l, size_t row, int sender, int receiver,
	uint64_t messages, double bytes)
{
	int64_t distance = ((int64_t)receiver - sender + l->nr_ranks) % l->nr_ranks;
	struct report_bunch *b;
	int err = 0;

	if (receiver < 0 || receiver >= l->nr_ranks) {
		l->lost_messages += (double)messages;
		l->lost_bytes += bytes;
		return 0;
	}
	if (l->nr_bunches >= MOST_BUNCHES)
		err = report_links_flush(l, row);
	if (err)
		return err;
	b = find_bunch(l, true, distance, messages, bytes);
	if (!b)
		return RSD_ERR_NOMEM;
	return rsd_ranks_append(&b->senders, sender);
}
