/*
 * args.c - recorded values become numbers, strings, arrays and handles again
 */
#include <inttypes.h>
#include <string.h>
#include "player.h"
#include "threads.h"
#include "util.h"

/* No result is longer: names, keys, values and version strings have bounds of their own in the standard. */
#define TEXT_ROOM 8192
#define MAX_ROOM ((int64_t)1 << 28)

static const struct rsd_arg absent = { RSD_ABSENT, NULL, 0 };

const struct rsd_arg *rsd_play_arg(const struct rsd_play *p, int place)
{
	int i = p->f->param[place];

	return i < 0 ? &absent : &p->arg[i];
}

int64_t rsd_play_value(const struct rsd_play *p, int64_t v)
{
	if (v == RSD_ABSENT)
		return 0;
	return rsd_is_const(v) ? p->r->constant[rsd_const_index(v)] : v;
}

static void *scratch(struct rsd_play *p, size_t nr, size_t size)
{
	void *m = nr <= RSD_ALLOC_MAX / size ? rsd_scratch_take(&p->scratch, nr * size + 1) : NULL;

	if (!m)
		rsd_play_give_up(p, "no memory for %zu values", nr);
	return m;
}

/* ---- numbers ------------------------------------------------------------------------- */

/* A class or code that the program has added has another number in another MPI. */
static int64_t error_here(struct rsd_play *p, int64_t v)
{
	const uint64_t *here;

	pthread_mutex_lock(&p->r->lock);
	here = rsd_map_find(&p->r->errors, (uint64_t)v);
	if (here)
		v = (int64_t)*here;
	pthread_mutex_unlock(&p->r->lock);
	return v;
}

int64_t rsd_play_number(struct rsd_play *p, int place)
{
	int64_t v = rsd_play_arg(p, place)->head;

	if (rsd_funcs[p->f->func].param[place].role == RSD_R_ERROR && !rsd_is_const(v))
		return error_here(p, v);
	return rsd_play_value(p, v);
}

/* An array that is no array: NULL where it is not significant, or the constant that stood in its place. */
static bool is_array(struct rsd_play *p, const struct rsd_arg *a, void **instead)
{
	*instead = NULL;
	if (!rsd_is_const(a->head))
		return true;
	if (a->head != RSD_ABSENT)
		*instead = (void *)(intptr_t)rsd_play_value(p, a->head);
	return false;
}

int *rsd_play_ints(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	void *instead;
	int *out;

	if (!is_array(p, a, &instead))
		return instead;
	out = scratch(p, a->nr, sizeof(*out));
	for (size_t i = 0; i < a->nr; i++)
		out[i] = (int)rsd_play_value(p, a->v[i]);
	return out;
}

MPI_Aint *rsd_play_aints(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	void *instead;
	MPI_Aint *out;

	if (!is_array(p, a, &instead))
		return instead;
	out = scratch(p, a->nr, sizeof(*out));
	for (size_t i = 0; i < a->nr; i++)
		out[i] = (MPI_Aint)rsd_play_value(p, a->v[i]);
	return out;
}

MPI_Count *rsd_play_counts(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	void *instead;
	MPI_Count *out;

	if (!is_array(p, a, &instead))
		return instead;
	out = scratch(p, a->nr, sizeof(*out));
	for (size_t i = 0; i < a->nr; i++)
		out[i] = (MPI_Count)rsd_play_value(p, a->v[i]);
	return out;
}

char *rsd_play_string(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	const struct rsd_string *s;
	char *out;

	if (rsd_is_const(a->head))
		return (char *)(intptr_t)rsd_play_value(p, a->head);
	if (a->head < 0 || (uint64_t)a->head >= p->r->trace->strings.nr)
		rsd_play_give_up(p, "it has no string %" PRId64, a->head);
	s = &p->r->trace->strings.str[a->head];
	out = scratch(p, s->len + 1, 1);
	memcpy(out, s->s, s->len);
	out[s->len] = '\0';
	return out;
}

/* ---- room for results -------------------------------------------------------------------- */

/* The largest number among the arguments: a result array is never longer than the call was told. */
static int64_t largest_number(const struct rsd_play *p)
{
	const struct rsd_func *f = &p->r->trace->func[p->e.func];
	int64_t most = 0;

	for (int i = 0; i < f->nr_params; i++) {
		int64_t v = p->arg[i].head;

		if (f->param[i].type == RSD_T_INT && f->param[i].role == RSD_R_INT &&
			!rsd_is_const(v) && v > most)
			most = v;
	}
	return most;
}

void *rsd_play_room(struct rsd_play *p, int place, size_t size)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	int64_t nr = largest_number(p);
	char *out;
	void *instead;

	if (!is_array(p, a, &instead) && instead)
		return instead;
	if (nr > MAX_ROOM)
		nr = MAX_ROOM;
	if (nr < (int64_t)a->nr)
		nr = (int64_t)a->nr;
	out = scratch(p, (size_t)nr * size + TEXT_ROOM, 1);
	memset(out, 0, (size_t)nr * size);
	for (size_t i = 0; size == sizeof(int) && i < a->nr; i++)
		((int *)out)[i] = (int)rsd_play_value(p, a->v[i]);
	return out;
}

void *rsd_play_spare(struct rsd_play *p)
{
	memset(p->spare, 0, sizeof(p->spare));
	return p->spare;
}

/* ---- handles --------------------------------------------------------------------------------- */

/* What the trace's words for a group are ("comm3"). */
static const char *group_word(int group)
{
	static const char *const word[RSD_NR_HANDLE_GROUPS] = {
		[RSD_G_COMM] = "comm",
		[RSD_G_DATATYPE] = "type",
		[RSD_G_OP] = "op",
		[RSD_G_GROUP] = "group",
		[RSD_G_WIN] = "win",
		[RSD_G_FILE] = "file",
		[RSD_G_INFO] = "info",
		[RSD_G_ERRHANDLER] = "errhandler",
		[RSD_G_KEYVAL] = "keyval",
		[RSD_G_REQUEST] = "request",
		[RSD_G_MESSAGE] = "message",
		[RSD_G_SESSION] = "session",
	};

	return word[group];
}

static int64_t slot(struct rsd_play *p, int group, int64_t v)
{
	int64_t h;

	if (!rsd_threads_find(p, group, v, &h))
		rsd_play_give_up(
			p, "uses a handle (%s) whose making was not played", group_word(group));
	return h;
}

static int64_t handle(struct rsd_play *p, int group, int64_t v)
{
	if (v == RSD_ABSENT)
		return group == RSD_G_DATATYPE ? (int64_t)(intptr_t)MPI_BYTE
					       : rsd_handles_null(group);
	return rsd_is_const(v) ? rsd_play_value(p, v) : slot(p, group, v);
}

int64_t rsd_play_handle(struct rsd_play *p, int place, int group)
{
	return handle(p, group, rsd_play_arg(p, place)->head);
}

int64_t rsd_play_freeing(struct rsd_play *p, int place, int group)
{
	int64_t v = rsd_play_arg(p, place)->head, h = handle(p, group, v);

	if (rsd_is_const(v))
		return h;
	rsd_threads_await_users(p, group, v);
	/* Before the call: as soon as MPI has freed it, another thread may get the same one. */
	rsd_threads_freeing(p, group, v);
	p->freeing = h;
	return h;
}

MPI_Datatype *rsd_play_datatypes(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	MPI_Datatype *out;

	if (rsd_is_const(a->head))
		return NULL;
	out = scratch(p, a->nr, sizeof(*out));
	for (size_t i = 0; i < a->nr; i++)
		out[i] = (MPI_Datatype)(intptr_t)handle(p, RSD_G_DATATYPE, a->v[i]);
	return out;
}

MPI_Info *rsd_play_infos(struct rsd_play *p, int place)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);
	MPI_Info *out;

	if (rsd_is_const(a->head))
		return NULL;
	out = scratch(p, a->nr, sizeof(*out));
	for (size_t i = 0; i < a->nr; i++)
		out[i] = (MPI_Info)(intptr_t)handle(p, RSD_G_INFO, a->v[i]);
	return out;
}

static void set_slot(struct rsd_play *p, int group, int64_t v, int64_t h)
{
	if (!rsd_is_const(v) && rsd_threads_set(p, group, v, h))
		rsd_report_skip(&p->r->report, rsd_funcs[p->f->func].name,
			"made a handle that could not be kept");
	if (group == RSD_G_DATATYPE)
		rsd_play_forget_extents(p);
}

void rsd_play_made(struct rsd_play *p, int place, int group, int64_t h)
{
	set_slot(p, group, rsd_play_arg(p, place)->head, h);
}

void rsd_play_made_datatypes(struct rsd_play *p, int place, const MPI_Datatype *made)
{
	const struct rsd_arg *a = rsd_play_arg(p, place);

	for (size_t i = 0; i < a->nr; i++)
		set_slot(p, RSD_G_DATATYPE, a->v[i], (int64_t)(intptr_t)made[i]);
}

void rsd_play_freed(struct rsd_play *p, int place, int group)
{
	int64_t v = rsd_play_arg(p, place)->head;

	/* A slot is emptied where no handle is given twice: an error handler that was asked for twice is freed twice. */
	if (!rsd_is_const(v))
		rsd_threads_freed(p, group, v, p->freeing);
	if (group == RSD_G_DATATYPE)
		rsd_play_forget_extents(p);
}
