#include "req_handler.h"

#include <stdlib.h>
#include <string.h>
#include "req_filed.h"
#include "util.h"

void rsd_requests_init(struct rsd_requests *q)
{
	memset(q, 0, sizeof(*q));
	q->free = q->oldest = q->newest = RSD_NO_REQUEST;
	q->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void rsd_requests_release(struct rsd_requests *q)
{
	free(q->req);
	rsd_map_release(&q->by_place);
	rsd_map_release(&q->by_value);
	rsd_slots_release(&q->persistent);
	rsd_requests_init(q);
}

/* ---- fresh ones ---------------------------------------------------------------------- */

/* Neighbours in an array are apart, and so are arrays that follow one another. */
static uint32_t *place_at(struct rsd_requests *q, const void *var)
{
	return &q->at[(uintptr_t)var / sizeof(int) % RSD_REQUESTS_AT];
}

static void unlink_fresh(struct rsd_requests *q, struct rsd_request *r)
{
	if (r->older == RSD_NO_REQUEST)
		q->oldest = r->newer;
	else
		q->req[r->older].newer = r->newer;
	if (r->newer == RSD_NO_REQUEST)
		q->newest = r->older;
	else
		q->req[r->newer].older = r->older;
	r->fresh = false;
}

/* The youngest there is; its variable's place is free. */
static void link_fresh(struct rsd_requests *q, uint32_t index, const void *var)
{
	struct rsd_request *r = &q->req[index];

	r->var = var;
	r->fresh = true;
	r->older = q->newest;
	r->newer = RSD_NO_REQUEST;
	if (q->newest == RSD_NO_REQUEST)
		q->oldest = index;
	else
		q->req[q->newest].newer = index;
	q->newest = index;
	*place_at(q, var) = index;
}

/*
 * Files the fresh ones, oldest first, up to 'last', or all of them (RSD_NO_REQUEST). On no memory
 * the rest are as they were.
 */
__attribute__((noinline)) static int file(struct rsd_requests *q, uint32_t last)
{
	uint32_t index;

	do {
		const void *var;

		index = q->oldest;
		if (index == RSD_NO_REQUEST)
			break;
		var = q->req[index].var;
		unlink_fresh(q, &q->req[index]);
		if (rsd_filed_append(q, index)) {
			struct rsd_request *r = &q->req[index];

			/* Back to where it was. */
			r->fresh = true;
			r->older = RSD_NO_REQUEST;
			r->newer = q->oldest;
			if (q->oldest == RSD_NO_REQUEST)
				q->newest = index;
			else
				q->req[q->oldest].older = index;
			q->oldest = index;
			return RSD_ERR_NOMEM;
		}
		rsd_filed_set_var(q, index, var);
	} while (index != last);
	return 0;
}

/*
 * May a new request be fresh? Not where another one of that value was in the variable: that one is to
 * lose it, and is filed.
 */
static bool can_be_fresh(struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t there;

	if (!var)
		return false;
	there = *place_at(q, var);
	if (there < q->nr && q->req[there].fresh &&
		place_at(q, q->req[there].var) == place_at(q, var) && file(q, there))
		return false;
	return !q->by_place.nr || rsd_filed_find_at(q, handle, var) == RSD_NO_REQUEST;
}

/* ---- making, finding, ending ------------------------------------------------------------- */

uint32_t rsd_add_offset_entry(struct rsd_requests *q, uint64_t *head, int owner, int64_t handle,
	const void *var, int kind, bool wild, bool persistent)
{
	static const struct rsd_shape no_shape;
	uint32_t index = q->free;
	struct rsd_request *r;
	int64_t slot = -1;

	if (index == RSD_NO_REQUEST) {
		if (q->nr >= RSD_NO_REQUEST || RSD_GROW(q->req, q->nr + 1, q->alloc))
			return RSD_NO_REQUEST;
		index = (uint32_t)q->nr;
	}
	if (persistent && head) {
		struct rsd_held *h =
			rsd_slots_add(&q->persistent, (int64_t)(q->last_id + 1), owner, &no_shape);

		if (!h)
			return RSD_NO_REQUEST;
		slot = h->id;
	}
	r = &q->req[index];
	if (index == q->nr)
		q->nr++;
	else
		q->free = r->newer;
	*r = (struct rsd_request){
		.handle = handle,
		.head = head,
		.id = ++q->last_id,
		.kind = kind,
		.wild = wild,
		.live = true,
		.slot = slot,
	};
	if (can_be_fresh(q, handle, var)) {
		link_fresh(q, index, var);
	} else if (file(q, RSD_NO_REQUEST) || rsd_filed_append(q, index)) {
		r->live = false;
		r->newer = q->free;
		q->free = index;
		return RSD_NO_REQUEST;
	} else if (var) {
		rsd_filed_set_var(q, index, var);
	}
	/* Persistent requests are not counted: they would shift the others by how many there are. */
	r->serial = persistent || !head ? 0 : ++*head;
	if (++q->live > q->most)
		q->most = q->live;
	return index;
}

/*
 * The request keeps its place in the list of its value: the oldest one, taken where the variable
 * says nothing, is the same one as if nothing had moved.
 */
bool rsd_move_request(struct rsd_requests *q, int64_t handle, const void *from, const void *to)
{
	uint32_t index = RSD_NO_REQUEST;

	if (from && to && !file(q, RSD_NO_REQUEST))
		index = rsd_filed_find_at(q, handle, from);
	if (index == RSD_NO_REQUEST)
		return false;
	rsd_filed_move(q, index, to);
	return true;
}

/* So that it is found at once the next time. Fresh ones have to be found. */
static void remember_place(struct rsd_requests *q, uint32_t index, const void *var)
{
	if (q->oldest == RSD_NO_REQUEST)
		*place_at(q, var) = index;
}

__attribute__((noinline)) static uint32_t file_and_find_at(
	struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t index;

	file(q, RSD_NO_REQUEST);
	index = var ? rsd_filed_find_at(q, handle, var) : RSD_NO_REQUEST;
	if (index != RSD_NO_REQUEST)
		remember_place(q, index, var);
	return index;
}

/* rsd_find_request, for what is not in 'at'. */
__attribute__((noinline)) static uint32_t find_filed(
	struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t index = file_and_find_at(q, handle, var);

	if (index != RSD_NO_REQUEST)
		return index;
	index = rsd_filed_oldest(q, handle);
	if (index != RSD_NO_REQUEST && var) {
		/* It has moved to 'var'. At the end of the list it stays out of the way of those that move next. */
		rsd_filed_move(q, index, var);
		rsd_filed_make_newest(q, index);
		remember_place(q, index, var);
	}
	return index;
}

/* What is in 'at', where it is the one. */
static inline uint32_t find_quickly(struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t index = *place_at(q, var);

	if (__builtin_expect(index < q->nr, 1)) {
		const struct rsd_request *r = &q->req[index];

		if (__builtin_expect(r->live && r->handle == handle && r->var == var, 1))
			return index;
	}
	return RSD_NO_REQUEST;
}

uint32_t rsd_find_request_at(struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t index = find_quickly(q, handle, var);

	return __builtin_expect(index != RSD_NO_REQUEST, 1) ? index
							    : file_and_find_at(q, handle, var);
}

uint32_t rsd_find_request(struct rsd_requests *q, int64_t handle, const void *var)
{
	uint32_t index = var ? find_quickly(q, handle, var) : RSD_NO_REQUEST;

	return index != RSD_NO_REQUEST ? index : find_filed(q, handle, var);
}

static inline void note(struct rsd_requests *q, uint32_t index, struct rsd_offset *o)
{
	const struct rsd_request *r;

	o->in = q;
	o->index = index;
	if (index == RSD_NO_REQUEST)
		return;
	r = &q->req[index];
	o->offset = rsd_lookup_offset(q, index);
	o->id = r->id;
	o->kind = r->kind;
	o->wild = r->wild;
}

void rsd_note_request(struct rsd_requests *q, uint32_t index, struct rsd_offset *o)
{
	note(q, index, o);
}

void rsd_set_aside(struct rsd_requests *q, const struct rsd_offset *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t index = list[i].index;

		if (list[i].in == q && index != RSD_NO_REQUEST && !q->req[index].fresh)
			rsd_filed_make_newest(q, index);
	}
}

/* rsd_lookup_offsetlist, for what is not in 'at'. */
__attribute__((noinline)) static void find_rest(struct rsd_requests *q, struct rsd_offset *list,
	size_t n, int64_t none, const void *var, size_t stride)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++) {
		struct rsd_offset *o = &list[i];

		if (o->handle == none || o->index != RSD_NO_REQUEST)
			continue;
		note(q, file_and_find_at(q, o->handle, (const char *)var + i * stride), o);
		missing += o->index == RSD_NO_REQUEST;
	}
	if (missing)
		rsd_set_aside(q, list, n);
	for (size_t i = 0; i < n && missing; i++) {
		struct rsd_offset *o = &list[i];

		if (o->handle == none || o->index != RSD_NO_REQUEST)
			continue;
		note(q, find_filed(q, o->handle, (const char *)var + i * stride), o);
		missing--;
	}
}

void rsd_lookup_offsetlist(struct rsd_requests *q, struct rsd_offset *list, size_t n, int64_t none,
	const void *var, size_t stride)
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		struct rsd_offset *o = &list[i];
		uint32_t index = RSD_NO_REQUEST;

		if (o->handle != none) {
			index = find_quickly(q, o->handle, (const char *)var + i * stride);
			all &= index != RSD_NO_REQUEST;
		}
		note(q, index, o);
	}
	if (__builtin_expect(!all, 0))
		find_rest(q, list, n, none, var, stride);
}

void rsd_remove_request(struct rsd_requests *q, uint32_t index)
{
	struct rsd_request *r = &q->req[index];

	if (r->fresh) {
		unlink_fresh(q, r);
	} else {
		rsd_filed_remove(q, index);
	}
	if (r->slot >= 0) {
		struct rsd_held *h =
			rsd_slots_find(&q->persistent, (int64_t)r->id, rsd_slot_owner(r->slot));

		if (h)
			rsd_slots_freed(&q->persistent, h->value, h->serial);
	}
	r->live = false;
	r->newer = q->free;
	q->free = index;
	q->live--;
}
