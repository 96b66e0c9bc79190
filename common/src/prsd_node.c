/*
 * prsd_node.c - interning of loops by body
 */
#include "prsd_node.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

void rsd_symbols_init(struct rsd_symbols *t)
{
	*t = (struct rsd_symbols){ .loop_by_hash = RSD_MAP_INIT };
}

void rsd_symbols_release(struct rsd_symbols *t)
{
	for (size_t i = 0; i < t->nr; i++)
		rsd_column_free(t->sym[i].count);
	free(t->sym);
	free(t->body);
	rsd_map_release(&t->loop_by_hash);
	rsd_symbols_init(t);
}

static rsd_symbol add(struct rsd_symbols *t, const struct rsd_symbol_info *info)
{
	if (t->nr >= RSD_NO_SYMBOL || RSD_GROW(t->sym, t->nr + 1, t->alloc))
		return RSD_NO_SYMBOL;
	t->sym[t->nr] = *info;
	return (rsd_symbol)t->nr++;
}

rsd_symbol rsd_symbols_add_place(struct rsd_symbols *t, int place)
{
	struct rsd_symbol_info info = {
		.hash = rsd_hash_mix(0x9e3779b97f4a7c15u * (t->nr + 1)),
		.place = place,
		.first = (rsd_symbol)t->nr,
	};

	rsd_assert(place >= 0);
	return add(t, &info);
}

static uint64_t body_hash(const struct rsd_symbols *t, const rsd_symbol *body, size_t nr)
{
	uint64_t h = nr;

	for (size_t i = 0; i < nr; i++)
		h = rsd_hash_mix(h + t->sym[body[i]].hash);
	return h;
}

rsd_symbol rsd_symbols_loop(struct rsd_symbols *t, const rsd_symbol *body, size_t nr)
{
	uint64_t hash = body_hash(t, body, nr), key = hash;
	struct rsd_symbol_info info = { .hash = hash, .place = -1 };
	const uint64_t *known;
	rsd_symbol sym;

	for (; (known = rsd_map_find(&t->loop_by_hash, key)); key++) {
		const struct rsd_symbol_info *k = &t->sym[*known];

		if (k->nr_body == nr && memcmp(t->body + k->body, body, nr * sizeof(*body)) == 0)
			return (rsd_symbol)*known;
	}

	if (t->nr_body + nr > UINT32_MAX || RSD_GROW(t->body, t->nr_body + nr, t->alloc_body))
		return RSD_NO_SYMBOL;
	memcpy(t->body + t->nr_body, body, nr * sizeof(*body));
	info.body = (uint32_t)t->nr_body;
	info.nr_body = (uint32_t)nr;
	info.first = t->sym[body[0]].first;
	info.count = rsd_column_new(false);
	if (!info.count)
		return RSD_NO_SYMBOL;
	sym = add(t, &info);
	if (sym == RSD_NO_SYMBOL || rsd_map_set(&t->loop_by_hash, key, sym)) {
		rsd_column_free(info.count);
		if (sym != RSD_NO_SYMBOL)
			t->nr--;
		return RSD_NO_SYMBOL;
	}
	t->nr_body += nr;
	return sym;
}
