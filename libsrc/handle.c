#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "params.h"
#include "runtime.h"
#include "util.h"

/* The slots are the trace's, the constants the generated table's. Under the runtime's lock. */
static struct rsd_slots kinds[RSD_NR_KINDS];
static struct rsd_map *constants;	  /* by group: value -> index; never changes */
static _Atomic(struct rsd_map *) aliases; /* further values, the same way; NULL: there are none */
struct rsd_bounds *rsd_bounds;
static int nr_groups;
_Atomic uint64_t rsd_handle_changes[RSD_NR_KINDS];

static bool is_null(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, "_NULL");
}

static int add_constant(int index)
{
	const struct rsd_constant *k = &rsd_constants[index];

	if (k->group <= RSD_G_NONE)
		return 0;
	if (k->group < RSD_NR_HANDLE_GROUPS &&
		rsd_slots_add_constant(&kinds[k->group], k->value, RSD_CONST(index)))
		return RSD_ERR_NOMEM;
	if (rsd_map_find(&constants[k->group], (uint64_t)k->value))
		return 0;
	if (k->value < rsd_bounds[k->group].lo)
		rsd_bounds[k->group].lo = k->value;
	if (k->value > rsd_bounds[k->group].hi)
		rsd_bounds[k->group].hi = k->value;
	/* In a trace a name is one constant's. */
	return rsd_map_set(
		&constants[k->group], (uint64_t)k->value, (uint64_t)(k->as ? k->as : index));
}

int rsd_handles_init(void)
{
	rsd_constants_init();
	for (int i = 0; i < RSD_NR_KINDS; i++)
		rsd_handle_changes[i] = 1;
	for (int i = 0; i < rsd_nr_constants; i++) {
		if (rsd_constants[i].group >= nr_groups)
			nr_groups = rsd_constants[i].group + 1;
	}
	constants = rsd_calloc((size_t)nr_groups, sizeof(*constants));
	rsd_bounds = rsd_malloc((size_t)nr_groups * sizeof(*rsd_bounds));
	if (!constants || !rsd_bounds)
		return RSD_ERR_NOMEM;
	for (int i = 0; i < nr_groups; i++)
		rsd_bounds[i] = (struct rsd_bounds){ INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN };
	/* Types that an implementation lacks have the null handle's value, which is to keep its own name. */
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 1; i < rsd_nr_constants; i++) {
			if (is_null(rsd_constants[i].name) == (pass == 0) && add_constant(i))
				return RSD_ERR_NOMEM;
		}
	}
	return 0;
}

static int64_t look_alias_up(const struct rsd_map *by_group, int group, int64_t v)
{
	bool locked = rsd_lock();
	const uint64_t *index = rsd_map_find(&by_group[group], (uint64_t)v);

	if (index)
		v = RSD_CONST(*index);
	rsd_unlock(locked);
	return v;
}

int64_t rsd_constant_of(int group, int64_t v)
{
	const struct rsd_map *more;
	const uint64_t *index;

	if (group <= RSD_G_NONE || group >= nr_groups || !rsd_may_be_constant(group, v))
		return v;
	if (v >= rsd_bounds[group].lo && v <= rsd_bounds[group].hi) {
		index = rsd_map_find(&constants[group], (uint64_t)v);
		if (index)
			return RSD_CONST(*index);
	}
	more = atomic_load_explicit(&aliases, memory_order_acquire);
	return more ? look_alias_up(more, group, v) : v;
}

static int add_alias(int index, int64_t v)
{
	int group = rsd_constants[index].group;
	struct rsd_bounds *b = &rsd_bounds[group];
	struct rsd_map *by_group = aliases;

	if (!by_group) {
		by_group = rsd_calloc((size_t)nr_groups, sizeof(*by_group));
		if (!by_group)
			return RSD_ERR_NOMEM;
		aliases = by_group;
	}
	if (rsd_map_set(&by_group[group], (uint64_t)v, (uint64_t)index))
		return RSD_ERR_NOMEM;
	if (v < b->alias_lo)
		b->alias_lo = v;
	if (v > b->alias_hi)
		b->alias_hi = v;
	return 0;
}

int rsd_constant_alias(const char *name, int64_t v)
{
	for (int i = 1; i < rsd_nr_constants; i++) {
		int group = rsd_constants[i].group, err;
		bool locked;

		if ((group != RSD_G_BUFFER && group != RSD_G_ARRAY) ||
			strcmp(rsd_constants[i].name, name))
			continue;
		locked = rsd_lock();
		err = add_alias(i, v);
		rsd_unlock(locked);
		return err;
	}
	return RSD_ERR_RANGE;
}

/* ---- shapes ------------------------------------------------------------------ */

static bool ask_comm(MPI_Comm comm, struct rsd_shape *s)
{
	int size, rank, inter, remote;

	if (PMPI_Comm_size(comm, &size) || PMPI_Comm_rank(comm, &rank) ||
		PMPI_Comm_test_inter(comm, &inter))
		return false;
	remote = size;
	if (inter && PMPI_Comm_remote_size(comm, &remote))
		return false;
	*s = (struct rsd_shape){ true, { remote, rank, size, inter != 0 } };
	return true;
}

static bool ask_datatype(MPI_Datatype type, struct rsd_shape *s)
{
	MPI_Count size;

	if (PMPI_Type_size_x(type, &size))
		return false;
	*s = (struct rsd_shape){ true, { size, 0, 0, 0 } };
	return true;
}

/* Not under the lock. The handle is valid; only those kinds have a shape that can be asked for. */
static struct rsd_shape ask_shape(int kind, int64_t value)
{
	struct rsd_shape s = { false, { 0 } };

	if (rsd_is_shut(RSD_SHUT_OUTSIDE))
		return s;
	if (kind == RSD_G_COMM)
		ask_comm((MPI_Comm)(intptr_t)value, &s);
	else if (kind == RSD_G_DATATYPE)
		ask_datatype((MPI_Datatype)(intptr_t)value, &s);
	return s;
}

static bool has_shape(int kind)
{
	return kind == RSD_G_COMM || kind == RSD_G_DATATYPE;
}

static bool may_ask(const struct rsd_held *h)
{
	return !rsd_is_const(h->id) || !is_null(rsd_constants[rsd_const_index(h->id)].name);
}

/* ---- use, making, freeing -------------------------------------------------------- */

static void count_change(int kind)
{
	atomic_fetch_add_explicit(&rsd_handle_changes[kind], 1, memory_order_release);
}

/* Is there nothing to be asked about this handle, now or later? */
static bool is_settled(const struct rsd_held *h, int kind)
{
	return h->shape.known || !has_shape(kind) || !may_ask(h);
}

/* Under the lock: the calling thread's number, by which it owns what it makes. */
static int owner(void)
{
	return rsd_self ? rsd_self->number : 0;
}

/*
 * What the calling thread means by the value. A function is made by no call: each thread numbers those that it
 * names, as which one is first to is up to the scheduler.
 */
static struct rsd_held *find(int kind, int64_t value)
{
	return kind == RSD_KIND_FUNCTION ? rsd_slots_find_own(&kinds[kind], value, owner())
					 : rsd_slots_find(&kinds[kind], value, owner());
}

/* The holder of a value, a copy, made where it is unknown; false: no memory. */
static bool hold(int kind, int64_t value, bool ask, struct rsd_held *out)
{
	bool locked = rsd_lock();
	struct rsd_held *h = find(kind, value);
	struct rsd_shape shape = { false, { 0 } };

	if (h && (!ask || is_settled(h, kind))) {
		h->used = true;
		*out = *h;
		rsd_unlock(locked);
		return true;
	}
	rsd_unlock(locked);
	if (ask)
		shape = ask_shape(kind, value);
	locked = rsd_lock();
	h = find(kind, value);
	if (!h) {
		h = rsd_slots_add(&kinds[kind], value, owner(), &shape);
		count_change(kind);
	} else if (rsd_is_const(h->id) && shape.known) {
		h->shape = shape;
	}
	if (h) {
		h->used = true;
		*out = *h;
	}
	rsd_unlock(locked);
	return h != NULL;
}

int64_t rsd_handle_ask(struct rsd_known *known, int kind, int64_t value, bool ask)
{
	uint64_t now = rsd_handle_now(kind);
	struct rsd_held h;

	if (!hold(kind, value, ask, &h))
		return RSD_ABSENT;
	/* Should the handle have come just now, then 'now' is over, and the entry never holds. */
	if (is_settled(&h, kind))
		*known = (struct rsd_known){ value, h.id, now };
	return h.id;
}

static int64_t made(int kind, int64_t value, const struct rsd_shape *shape)
{
	bool locked = rsd_lock();
	struct rsd_held *h = rsd_slots_made(&kinds[kind], value, owner(), shape);
	int64_t id = h ? h->id : RSD_ABSENT;

	count_change(kind);
	if (h)
		h->used = true;
	rsd_unlock(locked);
	return id;
}

static bool is_constant(int kind, int64_t value, int64_t *id)
{
	*id = kind < RSD_NR_HANDLE_GROUPS ? rsd_constant_of(kind, value) : value;
	return rsd_is_const(*id);
}

int64_t rsd_handle_made(int kind, int64_t value)
{
	struct rsd_shape shape;
	int64_t id;

	if (is_constant(kind, value, &id))
		return id;
	shape = ask_shape(kind, value);
	return made(kind, value, &shape);
}

int64_t rsd_handle_made_like(int kind, int64_t value, MPI_Comm like)
{
	struct rsd_held h;
	int64_t id;

	if (is_constant(kind, value, &id))
		return id;
	if (!hold(RSD_G_COMM, RSD_HANDLE(like), true, &h))
		return RSD_ABSENT;
	return made(kind, value, &h.shape);
}

int64_t rsd_handle_freeing(int kind, int64_t value, uint64_t *serial)
{
	struct rsd_held out;
	struct rsd_held *h;
	bool locked;

	*serial = 0;
	if (!hold(kind, value, false, &out))
		return RSD_ABSENT;
	*serial = out.serial;
	locked = rsd_lock();
	h = rsd_slots_holder(&kinds[kind], value, out.serial);
	if (h)
		h->freeing = true;
	rsd_unlock(locked);
	return out.id;
}

void rsd_handle_freed(int kind, int64_t value, uint64_t serial, bool done)
{
	bool locked = rsd_lock();
	struct rsd_held *h = rsd_slots_holder(&kinds[kind], value, serial);

	if (done) {
		rsd_slots_freed(&kinds[kind], value, serial);
		count_change(kind);
	} else if (h) {
		h->freeing = false;
	}
	rsd_unlock(locked);
}

/* ---- facts ------------------------------------------------------------------------- */

bool rsd_handle_comm(MPI_Comm comm, bool ask, struct rsd_held *out)
{
	return hold(RSD_G_COMM, RSD_HANDLE(comm), ask, out) && out->shape.known;
}

void rsd_handle_set_degrees(MPI_Comm comm, int in, int out)
{
	bool locked = rsd_lock();
	struct rsd_held *h = find(RSD_G_COMM, RSD_HANDLE(comm));

	if (h) {
		h->in_degree = in;
		h->out_degree = out;
	}
	rsd_unlock(locked);
}

bool rsd_handle_shape(int kind, int64_t id, struct rsd_shape *out)
{
	bool locked = rsd_lock();
	const struct rsd_shape *s = NULL;

	if (rsd_is_const(id)) {
		int index = rsd_const_index(id);
		struct rsd_held *h =
			index < rsd_nr_constants ? find(kind, rsd_constants[index].value) : NULL;

		s = h && h->id == id ? &h->shape : NULL;
	} else {
		s = rsd_slots_shape(&kinds[kind], id);
	}
	if (s)
		*out = *s;
	rsd_unlock(locked);
	return s && out->known;
}

static int add_object(
	struct rsd_trace *t, int rank, int kind, int64_t id, const struct rsd_shape *s)
{
	enum rsd_object_kind object_kind = kind == RSD_G_COMM ? RSD_O_COMM : RSD_O_DATATYPE;
	struct rsd_object *o;

	if (!s->known)
		return 0;
	if (rsd_is_const(id) && rsd_trace_set_constant(t, rsd_const_index(id),
					rsd_constants[rsd_const_index(id)].name) < 0)
		return RSD_ERR_NOMEM;
	o = rsd_trace_add_object(t, object_kind, id);
	return o ? rsd_object_set(o, rank, s->attr) : RSD_ERR_NOMEM;
}

static int add_slots(struct rsd_trace *t, int rank, int kind, const struct rsd_slots *s,
	const struct rsd_slot_pool *pool)
{
	int err = 0;

	for (size_t n = 0; n < pool->nr_slots && !err; n++) {
		int64_t id = rsd_slot(pool->owner, (uint32_t)n);

		err = add_object(t, rank, kind, id, rsd_slots_shape(s, id));
	}
	return err;
}

int rsd_handles_to_trace(struct rsd_trace *t, int rank)
{
	static const int shaped[] = { RSD_G_COMM, RSD_G_DATATYPE };
	int err = 0;

	for (size_t k = 0; k < RSD_ARRAY_SIZE(shaped); k++) {
		const struct rsd_slots *s = &kinds[shaped[k]];

		for (int i = 1; i < rsd_nr_constants && !err; i++) {
			const struct rsd_held *h =
				rsd_constants[i].group == shaped[k]
					? rsd_slots_find(s, rsd_constants[i].value, owner())
					: NULL;

			if (h && h->used && h->id == RSD_CONST(i))
				err = add_object(t, rank, shaped[k], h->id, &h->shape);
		}
		for (size_t i = 0; i < s->nr_pools && !err; i++)
			err = add_slots(t, rank, shaped[k], s, &s->pool[i]);
	}
	return err;
}
