#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "slot.h"
#include "util.h"

void rsd_slots_release(struct rsd_slots *s)
{
	for (size_t i = 0; i < s->nr_shapes; i++)
		free(s->shapes[i].slot);
	free(s->shapes);
	free(s->held);
	free(s->shape_of);
	rsd_map_release(&s->by_value);
	rsd_map_release(&s->shape_by_hash);
	memset(s, 0, sizeof(*s));
}

static bool same_shape(const struct rsd_shape *a, const struct rsd_shape *b)
{
	return a->known == b->known && !memcmp(a->attr, b->attr, sizeof(a->attr));
}

struct rsd_held *rsd_slots_find(const struct rsd_slots *s, int64_t value)
{
	const uint64_t *index = rsd_map_find(&s->by_value, (uint64_t)value);

	return index ? &s->held[*index] : NULL;
}

/* The heap of free slots of a shape, found or added; -1: no memory. */
static int64_t shape_index(struct rsd_slots *s, const struct rsd_shape *shape)
{
	uint64_t key = rsd_hash_bytes(shape->attr, sizeof(shape->attr), shape->known);
	const uint64_t *found;

	/* Other contents under the key: probe on. */
	while ((found = rsd_map_find(&s->shape_by_hash, key))) {
		if (same_shape(&s->shapes[*found].shape, shape))
			return (int64_t)*found;
		key++;
	}
	if (RSD_GROW(s->shapes, s->nr_shapes + 1, s->alloc_shapes) ||
		rsd_map_set(&s->shape_by_hash, key, s->nr_shapes))
		return -1;
	s->shapes[s->nr_shapes] = (struct rsd_free_slots){ .shape = *shape };
	return (int64_t)s->nr_shapes++;
}

static void swap(int64_t *a, int64_t *b)
{
	int64_t t = *a;

	*a = *b;
	*b = t;
}

static int64_t take_lowest(struct rsd_free_slots *f)
{
	int64_t lowest = f->slot[0];
	size_t i = 0, child;

	f->slot[0] = f->slot[--f->nr];
	while ((child = 2 * i + 1) < f->nr) {
		if (child + 1 < f->nr && f->slot[child + 1] < f->slot[child])
			child++;
		if (f->slot[i] <= f->slot[child])
			break;
		swap(&f->slot[i], &f->slot[child]);
		i = child;
	}
	return lowest;
}

/* Without memory the slot is lost, and nothing else. */
static void give_back(struct rsd_slots *s, int64_t slot)
{
	struct rsd_free_slots *f = &s->shapes[s->shape_of[slot]];
	size_t i;

	if (RSD_GROW(f->slot, f->nr + 1, f->alloc))
		return;
	f->slot[f->nr] = slot;
	for (i = f->nr++; i && f->slot[(i - 1) / 2] > f->slot[i]; i = (i - 1) / 2)
		swap(&f->slot[i], &f->slot[(i - 1) / 2]);
}

static struct rsd_held *new_held(
	struct rsd_slots *s, int64_t value, int64_t id, const struct rsd_shape *shape)
{
	size_t index = s->free_held ? s->free_held - 1 : s->nr_held;
	struct rsd_held *h;

	if (index == s->nr_held && RSD_GROW(s->held, s->nr_held + 1, s->alloc_held))
		return NULL;
	if (rsd_map_set(&s->by_value, (uint64_t)value, index))
		return NULL;
	h = &s->held[index];
	if (index == s->nr_held)
		s->nr_held++;
	else
		s->free_held = (size_t)h->value;
	*h = (struct rsd_held){
		.value = value,
		.id = id,
		.serial = ++s->serial,
		.refs = 1,
		.shape = *shape,
		.in_degree = -1,
		.out_degree = -1,
	};
	return h;
}

static void drop_held(struct rsd_slots *s, struct rsd_held *h)
{
	rsd_map_delete(&s->by_value, (uint64_t)h->value);
	if (!rsd_is_const(h->id))
		give_back(s, h->id);
	h->refs = 0;
	h->value = (int64_t)s->free_held;
	s->free_held = (size_t)(h - s->held) + 1;
}

struct rsd_held *rsd_slots_add(struct rsd_slots *s, int64_t value, const struct rsd_shape *shape)
{
	struct rsd_held *old = rsd_slots_find(s, value), *h;
	int64_t index, slot;

	if (old)
		drop_held(s, old);
	index = shape_index(s, shape);
	if (index < 0)
		return NULL;
	if (s->shapes[index].nr) {
		slot = take_lowest(&s->shapes[index]);
	} else {
		if (RSD_GROW(s->shape_of, s->nr_slots + 1, s->alloc_slots))
			return NULL;
		slot = (int64_t)s->nr_slots++;
		s->shape_of[slot] = (size_t)index;
	}
	h = new_held(s, value, slot, shape);
	if (!h)
		give_back(s, slot);
	return h;
}

int rsd_slots_add_constant(struct rsd_slots *s, int64_t value, int64_t id)
{
	static const struct rsd_shape unknown;

	if (rsd_slots_find(s, value))
		return 0;
	return new_held(s, value, id, &unknown) ? 0 : RSD_ERR_NOMEM;
}

struct rsd_held *rsd_slots_made(struct rsd_slots *s, int64_t value, const struct rsd_shape *shape)
{
	struct rsd_held *h = rsd_slots_find(s, value);

	if (h && rsd_is_const(h->id))
		return h;
	/* Being freed by another thread, with its last reference: the value is already someone else's. */
	if (!h || (h->freeing && h->refs == 1) || !same_shape(&h->shape, shape))
		return rsd_slots_add(s, value, shape);
	h->refs++;
	return h;
}

void rsd_slots_freed(struct rsd_slots *s, int64_t value, uint64_t serial)
{
	struct rsd_held *h = rsd_slots_find(s, value);

	if (!h || h->serial != serial || rsd_is_const(h->id))
		return;
	h->freeing = false;
	if (!--h->refs)
		drop_held(s, h);
}

const struct rsd_shape *rsd_slots_shape(const struct rsd_slots *s, int64_t slot)
{
	if (slot < 0 || (size_t)slot >= s->nr_slots)
		return NULL;
	return &s->shapes[s->shape_of[slot]].shape;
}
