#include "req_filed.h"

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

int rsd_filed_append(struct rsd_requests *q, uint32_t index)
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

uint32_t rsd_filed_oldest(const struct rsd_requests *q, int64_t handle)
{
	const uint64_t *of = rsd_map_find(&q->by_value, (uint64_t)handle);

	return of ? (uint32_t)*of : RSD_NO_REQUEST;
}

void rsd_filed_make_newest(struct rsd_requests *q, uint32_t index)
{
	if (q->req[index].newer == RSD_NO_REQUEST)
		return;
	unlink_value(q, index);
	rsd_filed_append(q, index); /* cannot fail: others of the value are in the list */
}

void rsd_filed_set_var(struct rsd_requests *q, uint32_t index, const void *var)
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

void rsd_filed_move(struct rsd_requests *q, uint32_t index, const void *var)
{
	unset_var(q, index);
	rsd_filed_set_var(q, index, var);
}

uint32_t rsd_filed_find_at(const struct rsd_requests *q, int64_t handle, const void *var)
{
	const uint64_t *found = rsd_map_find(&q->by_place, place_key(handle, var));

	if (found && q->req[*found].handle == handle && q->req[*found].var == var)
		return (uint32_t)*found;
	return RSD_NO_REQUEST;
}

void rsd_filed_remove(struct rsd_requests *q, uint32_t index)
{
	unset_var(q, index);
	unlink_value(q, index);
}
