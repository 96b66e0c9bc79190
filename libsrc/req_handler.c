#include <stdlib.h>
#include <string.h>

#include "opstruct.h"
#include "req_handler.h"
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

/* The map mixes it; what is found is compared, so that others of the same key do no harm. */
static uint64_t place_key(int64_t handle, const void *var)
{
	return (uint64_t)handle * 0x9e3779b97f4a7c15u + (uint64_t)(uintptr_t)var;
}

static uint64_t ends(uint32_t oldest, uint32_t newest)
{
	return oldest | (uint64_t)newest << 32;
}

static void unlink_value(struct rsd_requests *q, uint32_t index)
{
	const struct rsd_request *r = &q->req[index];
	uint64_t key = (uint64_t)r->handle, *of;

	if (r->older == RSD_NO_REQUEST && r->newer == RSD_NO_REQUEST) {
		rsd_map_delete(&q->by_value, key);
		return;
	}
	if (r->older != RSD_NO_REQUEST) {
		q->req[r->older].newer = r->newer;
	} else {
		of = rsd_map_find(&q->by_value, key);
		*of = ends(r->newer, (uint32_t)(*of >> 32));
	}
	if (r->newer != RSD_NO_REQUEST) {
		q->req[r->newer].older = r->older;
	} else {
		of = rsd_map_find(&q->by_value, key);
		*of = ends((uint32_t)*of, r->older);
	}
}

static int link_newest(struct rsd_requests *q, uint32_t index)
{
	struct rsd_request *r = &q->req[index];
	uint64_t key = (uint64_t)r->handle;
	uint64_t *of = rsd_map_find(&q->by_value, key);

	r->newer = r->older = RSD_NO_REQUEST;
	if (!of)
		return rsd_map_set(&q->by_value, key, ends(index, index));
	r->older = (uint32_t)(*of >> 32);
	q->req[r->older].newer = index;
	*of = ends((uint32_t)*of, index);
	return 0;
}

/* The variable now holds this request; an older one that the program kept there has lost it. */
static void set_var(struct rsd_requests *q, uint32_t index, const void *var)
{
	uint64_t key = place_key(q->req[index].handle, var), *found;

	found = rsd_map_find(&q->by_place, key);
	if (found && *found != index)
		q->req[*found].var = NULL;
	/* On no memory the request is still found by its value. */
	q->req[index].var = rsd_map_set(&q->by_place, key, index) ? NULL : var;
}

static void unset_var(struct rsd_requests *q, uint32_t index)
{
	struct rsd_request *r = &q->req[index];

	if (r->var)
		rsd_map_delete(&q->by_place, place_key(r->handle, r->var));
	r->var = NULL;
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
		if (link_newest(q, index)) {
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
		set_var(q, index, var);
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
	return !q->by_place.nr || !rsd_map_find(&q->by_place, place_key(handle, var));
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
	if (persistent) {
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
	} else if (file(q, RSD_NO_REQUEST) || link_newest(q, index)) {
		r->live = false;
		r->newer = q->free;
		q->free = index;
		return RSD_NO_REQUEST;
	} else if (var) {
		set_var(q, index, var);
	}
	/* Persistent requests are not counted: they would shift the others by how many there are. */
	r->serial = persistent ? 0 : ++*head;
	if (++q->live > q->most)
		q->most = q->live;
	return index;
}

/* The request of that value that is known to be in the variable. */
static uint32_t find_at(const struct rsd_requests *q, int64_t handle, const void *var)
{
	const uint64_t *found = rsd_map_find(&q->by_place, place_key(handle, var));

	if (found && q->req[*found].handle == handle && q->req[*found].var == var)
		return (uint32_t)*found;
	return RSD_NO_REQUEST;
}

/*
 * The request keeps its place in the list of its value: the oldest one, taken where the variable
 * says nothing, is the same one as if nothing had moved.
 */
bool rsd_move_request(struct rsd_requests *q, int64_t handle, const void *from, const void *to)
{
	uint32_t index = RSD_NO_REQUEST;

	if (from && to && !file(q, RSD_NO_REQUEST))
		index = find_at(q, handle, from);
	if (index == RSD_NO_REQUEST)
		return false;
	unset_var(q, index);
	set_var(q, index, to);
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
	index = var ? find_at(q, handle, var) : RSD_NO_REQUEST;
	if (index != RSD_NO_REQUEST)
		remember_place(q, index, var);
	return index;
}

/* rsd_find_request, for what is not in 'at'. */
__attribute__((noinline)) static uint32_t find_filed(
	struct rsd_requests *q, int64_t handle, const void *var)
{
	const uint64_t *found;
	uint32_t index = file_and_find_at(q, handle, var);

	if (index != RSD_NO_REQUEST)
		return index;
	found = rsd_map_find(&q->by_value, (uint64_t)handle);
	if (!found)
		return RSD_NO_REQUEST;
	index = (uint32_t)*found;
	if (var) {
		/* It has moved to 'var'. At the end of the list it stays out of the way of those that move next. */
		unset_var(q, index);
		set_var(q, index, var);
		if (q->req[index].newer != RSD_NO_REQUEST) {
			unlink_value(q, index);
			link_newest(
				q, index); /* cannot fail: others of the value are in the list */
		}
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

		if (list[i].in != q || index == RSD_NO_REQUEST || q->req[index].fresh ||
			q->req[index].newer == RSD_NO_REQUEST)
			continue;
		unlink_value(q, index);
		link_newest(q, index); /* cannot fail: others of the value are in the list */
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
		unset_var(q, index);
		unlink_value(q, index);
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
