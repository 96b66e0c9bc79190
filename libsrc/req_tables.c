#include "req_tables.h"
#include "opstruct.h"

static bool is_alone(const struct rsd_thread *t)
{
	return rsd_thread_first() == t && __atomic_load_n(&rsd_rt.last, __ATOMIC_ACQUIRE) == t;
}

typedef uint32_t finder(struct rsd_requests *q, int64_t handle, const void *var);

/* Persistent ones have a slot, which tells whose they are; those that are not counted have no name. */
static void name_foreign(const struct rsd_thread *owner, struct rsd_offset *o)
{
	uint64_t number = owner->requests.req[o->index].serial - 1;

	if (o->offset >= 0)
		o->offset = number >> RSD_FOREIGN_BITS ? RSD_ABSENT
						       : rsd_foreign(owner->number, number);
}

/* For t, in the table of 'owner'. */
static bool find_in(struct rsd_thread *owner, const struct rsd_thread *t, struct rsd_offset *o,
	const void *var, finder *find)
{
	bool locked = rsd_table_lock(&owner->requests), found;

	rsd_note_request(&owner->requests, find(&owner->requests, o->handle, var), o);
	found = o->index != RSD_NO_REQUEST;
	if (found && owner != t)
		name_foreign(owner, o);
	rsd_table_unlock(&owner->requests, locked);
	return found;
}

static bool find_in_others(
	const struct rsd_thread *t, struct rsd_offset *o, const void *var, finder *find)
{
	for (struct rsd_thread *other = rsd_rt.threads; other; other = other->next) {
		if (other != t && find_in(other, t, o, var, find))
			return true;
	}
	return false;
}

/* What is not known to be in 'var' by t itself. */
static void find_elsewhere(struct rsd_thread *t, struct rsd_offset *o, const void *var)
{
	bool locked = rsd_lock_in_turn();

	if (!(var && find_in_others(t, o, var, rsd_find_request_at)) &&
		!find_in(t, t, o, var, rsd_find_request) &&
		!find_in_others(t, o, var, rsd_find_request))
		o->in = &t->requests;
	rsd_unlock(locked);
}

void rsd_tables_look_up(struct rsd_thread *t, struct rsd_offset *list, size_t n, int64_t none,
	const void *var, size_t stride)
{
	bool locked = rsd_table_lock(&t->requests), alone = is_alone(t);
	size_t missing = 0;

	if (alone)
		rsd_lookup_offsetlist(&t->requests, list, n, none, var, stride);
	for (size_t i = 0; i < n && !alone; i++) {
		uint32_t index = RSD_NO_REQUEST;

		if (list[i].handle != none)
			index = rsd_find_request_at(
				&t->requests, list[i].handle, (const char *)var + i * stride);
		rsd_note_request(&t->requests, index, &list[i]);
		missing += list[i].handle != none && index == RSD_NO_REQUEST;
	}
	if (missing)
		rsd_set_aside(&t->requests, list, n);
	rsd_table_unlock(&t->requests, locked);
	for (size_t i = 0; i < n && missing; i++) {
		if (list[i].handle == none || list[i].index != RSD_NO_REQUEST)
			continue;
		find_elsewhere(t, &list[i], (const char *)var + i * stride);
		missing--;
	}
}

void rsd_tables_look_up_used(struct rsd_thread *t, struct rsd_offset *o)
{
	if (!find_in(t, t, o, NULL, rsd_find_request))
		find_elsewhere(t, o, NULL);
}

void rsd_tables_move(int64_t handle, const void *from, const void *to)
{
	bool locked = rsd_lock(), moved = false;

	for (struct rsd_thread *t = rsd_rt.threads; t && !moved; t = t->next) {
		bool held = rsd_table_lock(&t->requests);

		moved = rsd_move_request(&t->requests, handle, from, to);
		rsd_table_unlock(&t->requests, held);
	}
	rsd_unlock(locked);
}

size_t rsd_tables_most(void)
{
	size_t most = 0;

	for (const struct rsd_thread *t = rsd_thread_first(); t; t = rsd_thread_next(t)) {
		if (t->requests.most > most)
			most = t->requests.most;
	}
	return most;
}
