#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "slot.h"
#include "util.h"

#define MOST_SLOTS ((size_t)UINT32_MAX) /* of a thread */

static void release_pool(struct rsd_slot_pool *p)
{
	for (size_t i = 0; i < p->nr_shapes; i++)
		free(p->shapes[i].slot);
	free(p->shapes);
	free(p->shape_of);
	rsd_map_release(&p->shape_by_hash);
}

void rsd_slots_release(struct rsd_slots *s)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		release_pool(&s->pool[i]);
	free(s->pool);
	free(s->held);
	rsd_map_release(&s->by_value);
	memset(s, 0, sizeof(*s));
}

static bool same_shape(const struct rsd_shape *a, const struct rsd_shape *b)
{
	return a->known == b->known && !memcmp(a->attr, b->attr, sizeof(a->attr));
}

/* ---- holders of a value ------------------------------------------------------------ */

static struct rsd_held *first_holder(const struct rsd_slots *s, int64_t value)
{
	const uint64_t *index = rsd_map_find(&s->by_value, (uint64_t)value);

	return index ? &s->held[*index] : NULL;
}

static struct rsd_held *next_holder(const struct rsd_slots *s, const struct rsd_held *h)
{
	return h->next ? &s->held[h->next - 1] : NULL;
}

struct rsd_held *rsd_slots_find_own(const struct rsd_slots *s, int64_t value, int owner)
{
	struct rsd_held *h = first_holder(s, value);

	while (h && h->owner != RSD_EVERYONE && h->owner < owner)
		h = next_holder(s, h);
	return h && (h->owner == owner || h->owner == RSD_EVERYONE) ? h : NULL;
}

struct rsd_held *rsd_slots_find(const struct rsd_slots *s, int64_t value, int owner)
{
	struct rsd_held *h = rsd_slots_find_own(s, value, owner), *first;

	if (h)
		return h;
	h = first = first_holder(s, value);
	while (h && h->freeing)
		h = next_holder(s, h);
	return h ? h : first;
}

struct rsd_held *rsd_slots_holder(const struct rsd_slots *s, int64_t value, uint64_t serial)
{
	struct rsd_held *h = first_holder(s, value);

	while (h && h->serial != serial)
		h = next_holder(s, h);
	return h;
}

/* Puts held[index] among the holders of its value. 0 or RSD_ERR_NOMEM. */
static int link_holder(struct rsd_slots *s, size_t index)
{
	struct rsd_held *h = &s->held[index], *before = NULL, *at = first_holder(s, h->value);

	for (; at && at->owner < h->owner; at = next_holder(s, at))
		before = at;
	h->next = at ? (size_t)(at - s->held) + 1 : 0;
	if (!before)
		return rsd_map_set(&s->by_value, (uint64_t)h->value, index);
	before->next = index + 1;
	return 0;
}

static void unlink_holder(struct rsd_slots *s, const struct rsd_held *h)
{
	struct rsd_held *at = first_holder(s, h->value);

	if (at == h) {
		if (h->next)
			*rsd_map_find(&s->by_value, (uint64_t)h->value) = h->next - 1;
		else
			rsd_map_delete(&s->by_value, (uint64_t)h->value);
		return;
	}
	while (next_holder(s, at) != h)
		at = next_holder(s, at);
	at->next = h->next;
}

/* ---- slots of a thread ------------------------------------------------------------- */

/* Index of the thread's pool, or of where it is to be. */
static size_t pool_position(const struct rsd_slots *s, int owner)
{
	size_t lo = 0, hi = s->nr_pools;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->pool[mid].owner < owner)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct rsd_slot_pool *find_pool(const struct rsd_slots *s, int owner)
{
	size_t i = pool_position(s, owner);

	return i < s->nr_pools && s->pool[i].owner == owner ? &s->pool[i] : NULL;
}

/* Found, or added; NULL: no memory. */
static struct rsd_slot_pool *pool_of(struct rsd_slots *s, int owner)
{
	struct rsd_slot_pool *p = find_pool(s, owner);

	if (p)
		return p;
	if (RSD_GROW(s->pool, s->nr_pools + 1, s->alloc_pools))
		return NULL;
	p = &s->pool[pool_position(s, owner)];
	memmove(p + 1, p, (size_t)(s->pool + s->nr_pools - p) * sizeof(*p));
	s->nr_pools++;
	*p = (struct rsd_slot_pool){ .owner = owner };
	return p;
}

/* The heap of free slots of a shape, found or added; -1: no memory. */
static int64_t shape_index(struct rsd_slot_pool *p, const struct rsd_shape *shape)
{
	uint64_t key = rsd_hash_bytes(shape->attr, sizeof(shape->attr), shape->known);
	const uint64_t *found;

	/* Other contents under the key: probe on. */
	while ((found = rsd_map_find(&p->shape_by_hash, key))) {
		if (same_shape(&p->shapes[*found].shape, shape))
			return (int64_t)*found;
		key++;
	}
	if (RSD_GROW(p->shapes, p->nr_shapes + 1, p->alloc_shapes) ||
		rsd_map_set(&p->shape_by_hash, key, p->nr_shapes))
		return -1;
	p->shapes[p->nr_shapes] = (struct rsd_free_slots){ .shape = *shape };
	return (int64_t)p->nr_shapes++;
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
	struct rsd_slot_pool *p = find_pool(s, rsd_slot_owner(slot));
	struct rsd_free_slots *f = &p->shapes[p->shape_of[rsd_slot_number(slot)]];
	size_t i;

	if (RSD_GROW(f->slot, f->nr + 1, f->alloc))
		return;
	f->slot[f->nr] = slot;
	for (i = f->nr++; i && f->slot[(i - 1) / 2] > f->slot[i]; i = (i - 1) / 2)
		swap(&f->slot[i], &f->slot[(i - 1) / 2]);
}

/* The thread's lowest free slot of that shape; -1: no memory. */
static int64_t take_slot(struct rsd_slots *s, int owner, const struct rsd_shape *shape)
{
	struct rsd_slot_pool *p = pool_of(s, owner);
	int64_t index = p ? shape_index(p, shape) : -1;

	if (index < 0)
		return -1;
	if (p->shapes[index].nr)
		return take_lowest(&p->shapes[index]);
	if (p->nr_slots >= MOST_SLOTS || RSD_GROW(p->shape_of, p->nr_slots + 1, p->alloc_slots))
		return -1;
	p->shape_of[p->nr_slots] = (size_t)index;
	return rsd_slot(owner, (uint32_t)p->nr_slots++);
}

/* ---- coming and going -------------------------------------------------------------- */

static struct rsd_held *new_held(
	struct rsd_slots *s, int64_t value, int owner, int64_t id, const struct rsd_shape *shape)
{
	size_t index = s->free_held ? s->free_held - 1 : s->nr_held, next_free = 0;
	struct rsd_held *h;

	if (index == s->nr_held && RSD_GROW(s->held, s->nr_held + 1, s->alloc_held))
		return NULL;
	h = &s->held[index];
	if (index < s->nr_held)
		next_free = h->next;
	*h = (struct rsd_held){
		.value = value,
		.id = id,
		.owner = owner,
		.shape = *shape,
		.in_degree = -1,
		.out_degree = -1,
	};
	if (link_holder(s, index)) {
		h->next = next_free;
		return NULL;
	}
	h->serial = ++s->serial;
	h->refs = 1;
	if (index == s->nr_held)
		s->nr_held++;
	else
		s->free_held = next_free;
	return h;
}

static void drop_held(struct rsd_slots *s, struct rsd_held *h)
{
	unlink_holder(s, h);
	if (!rsd_is_const(h->id))
		give_back(s, h->id);
	h->refs = 0;
	h->next = s->free_held;
	s->free_held = (size_t)(h - s->held) + 1;
}

struct rsd_held *rsd_slots_add(
	struct rsd_slots *s, int64_t value, int owner, const struct rsd_shape *shape)
{
	struct rsd_held *old = rsd_slots_find_own(s, value, owner), *h;
	int64_t slot;

	if (old)
		drop_held(s, old);
	slot = take_slot(s, owner, shape);
	if (slot < 0)
		return NULL;
	h = new_held(s, value, owner, slot, shape);
	if (!h)
		give_back(s, slot);
	return h;
}

int rsd_slots_add_constant(struct rsd_slots *s, int64_t value, int64_t id)
{
	static const struct rsd_shape unknown;

	if (first_holder(s, value))
		return 0;
	return new_held(s, value, RSD_EVERYONE, id, &unknown) ? 0 : RSD_ERR_NOMEM;
}

/* The value is another object's now: who held one of another shape, and does not free it just now, has lost it unseen. */
static void drop_dead(struct rsd_slots *s, int64_t value, const struct rsd_shape *shape)
{
	struct rsd_held *h = first_holder(s, value);

	while (h) {
		struct rsd_held *next = next_holder(s, h);

		if (!h->freeing && !same_shape(&h->shape, shape))
			drop_held(s, h);
		h = next;
	}
}

struct rsd_held *rsd_slots_made(
	struct rsd_slots *s, int64_t value, int owner, const struct rsd_shape *shape)
{
	struct rsd_held *h = rsd_slots_find_own(s, value, owner);

	if (h && rsd_is_const(h->id))
		return h;
	drop_dead(s, value, shape);
	h = rsd_slots_find_own(s, value, owner);
	/* Being freed, with its last reference: the value is already someone else's. */
	if (!h || (h->freeing && h->refs == 1) || !same_shape(&h->shape, shape))
		return rsd_slots_add(s, value, owner, shape);
	h->refs++;
	return h;
}

void rsd_slots_freed(struct rsd_slots *s, int64_t value, uint64_t serial)
{
	struct rsd_held *h = rsd_slots_holder(s, value, serial);

	if (!h || rsd_is_const(h->id))
		return;
	h->freeing = false;
	if (!--h->refs)
		drop_held(s, h);
}

const struct rsd_shape *rsd_slots_shape(const struct rsd_slots *s, int64_t slot)
{
	const struct rsd_slot_pool *p = slot < 0 ? NULL : find_pool(s, rsd_slot_owner(slot));

	if (!p || rsd_slot_number(slot) >= p->nr_slots)
		return NULL;
	return &p->shapes[p->shape_of[rsd_slot_number(slot)]].shape;
}
