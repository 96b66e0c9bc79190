#include "scout.h"

#include <stdlib.h>
#include <string.h>
#include "own_calls.h"
#include "player.h"
#include "util.h"

/* A receive that is not completed within so many later ones is not looked for any longer. */
#define MOST_AHEAD ((uint64_t)1 << 20)

struct found {		  /* of a wildcard receive, in the order in which they were made */
	bool known, done; /* done: the trace tells no more about it */
	int64_t source, tag;
};

struct rsd_scout {
	const struct rsd_replay *r;
	struct rsd_walk *walk;
	bool at_end;
	uint64_t head;		/* requests made, as the scout has seen them */
	struct rsd_map pending; /* a wildcard receive that is under way, by its key -> its number */
	struct rsd_map wild;	/* persistent ones that there are, by key */
	struct found *ring;	/* by number, modulo alloc */
	size_t alloc;
	uint64_t first, next; /* numbers: the next one to be asked for; the next one to be made */
	struct rsd_arg *arg;  /* of the event, by parameter */
	size_t alloc_arg;
};

/* ---- what a function's parameters are ---------------------------------------------------- */

/* Calls whose single request they have been given, not made. */
static bool takes_request(const char *func)
{
	static const char *const taking[] = { "MPI_Wait", "MPI_Test", "MPI_Request_free",
		"MPI_Cancel", "MPI_Request_get_status", "MPI_Grequest_complete", "MPI_Start",
		"MPI_Pready", "MPI_Pready_range", "MPI_Pready_list", "MPI_Parrived" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(taking); i++) {
		if (!strcmp(func, taking[i]))
			return true;
	}
	return false;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_named(const struct rsd_trace *t, int64_t v, const char *name)
{
	const char *known = rsd_is_const(v) ? t->constant[rsd_const_index(v)] : NULL;

	return known && !strcmp(known, name);
}

/*
 * A receive that does not block, whose request is not persistent. MPI_Isendrecv is left to MPI: what MPICH 4.0
 * tells in its status is not what was received.
 */
static bool is_receive(const struct rsd_func *f)
{
	return starts_with(f->name, "MPI_Irecv");
}

/* Of a persistent one it is each start that receives. */
static bool is_persistent_receive(const struct rsd_func *f)
{
	return starts_with(f->name, "MPI_Recv_init");
}

/* ---- one event --------------------------------------------------------------------------- */

/* A request's serial; of a persistent one the slot, marked. */
static uint64_t key_of(const struct rsd_scout *s, int64_t request)
{
	if (request < 0)
		return UINT64_C(1) << 63 | (uint64_t)(-1 - request);
	return (uint64_t)request < s->head ? s->head - (uint64_t)request : 0; /* 0: none */
}

/* The envelope is there where the status is of a kind that has one. */
static void resolve(struct rsd_scout *s, int64_t request, int64_t kind, const int64_t *envelope)
{
	uint64_t *number, key = key_of(s, request);
	struct found *f;

	if (rsd_is_const(request) || rsd_is_foreign(request))
		return;
	number = rsd_map_find(&s->pending, key);
	if (!number)
		return;
	f = &s->ring[*number % s->alloc];
	f->done = true;
	if (kind >= RSD_STATUS_KEPT) {
		f->known = true;
		f->source = envelope[0];
		f->tag = envelope[1];
	}
	rsd_map_delete(&s->pending, key);
}

/* A completion of several requests: which of the statuses belongs to which. */
static void see_array(struct rsd_scout *s, const struct rsd_func *f, const struct rsd_arg *requests)
{
	int one = rsd_func_find_param(f, "status"),
	    many = rsd_func_find_param(f, "array_of_statuses");
	int index = rsd_func_find_param(f, "index"),
	    indices = rsd_func_find_param(f, "array_of_indices");
	const int64_t *st = many < 0 ? NULL : s->arg[many].v;
	int64_t nr = many < 0 || rsd_is_const(s->arg[many].head) ? 0 : s->arg[many].head;

	/* In a damaged trace they may be fewer. */
	if (indices >= 0 && nr > s->arg[indices].head)
		nr = s->arg[indices].head;
	if (one >= 0 && index >= 0) {
		int64_t i = s->arg[index].head;

		if (i >= 0 && i < requests->head)
			resolve(s, requests->v[i], s->arg[one].head, s->arg[one].v);
		return;
	}
	for (int64_t k = 0; k < nr; k++) {
		int64_t i = indices < 0 ? k : s->arg[indices].v[k];

		if (i >= 0 && i < requests->head)
			resolve(s, requests->v[i], *st, st + 1);
		st += rsd_status_length(*st);
	}
}

static int add_receive(struct rsd_scout *s, uint64_t key)
{
	if (s->next - s->first == s->alloc) {
		size_t alloc = s->alloc ? 2 * s->alloc : 64;
		struct found *ring = rsd_calloc(alloc, sizeof(*ring));

		if (!ring)
			return RSD_ERR_NOMEM;
		for (uint64_t i = s->first; i < s->next; i++)
			ring[i % alloc] = s->ring[i % s->alloc];
		free(s->ring);
		s->ring = ring;
		s->alloc = alloc;
	}
	s->ring[s->next % s->alloc] = (struct found){ .known = false };
	return rsd_map_set(&s->pending, key, s->next++);
}

static bool is_wild(const struct rsd_scout *s, const struct rsd_func *f)
{
	const struct rsd_trace *t = s->r->trace;
	int source = rsd_func_find_param(f, "source"), tag = rsd_func_find_param(f, "tag");

	return source >= 0 && tag >= 0 &&
	       (is_named(t, s->arg[source].head, "MPI_ANY_SOURCE") ||
		       is_named(t, s->arg[tag].head, "MPI_ANY_TAG"));
}

static int see_start(struct rsd_scout *s, int64_t request)
{
	if (rsd_is_const(request) || !rsd_map_find(&s->wild, key_of(s, request)))
		return 0;
	return add_receive(s, key_of(s, request));
}

/* A call that is given several requests. */
static int see_several(
	struct rsd_scout *s, const struct rsd_func *f, const struct rsd_arg *requests)
{
	int err = 0;

	if (rsd_is_const(requests->head))
		return 0;
	if (strcmp(f->name, "MPI_Startall")) {
		see_array(s, f, requests);
		return 0;
	}
	for (int64_t i = 0; i < requests->head && !err; i++)
		err = see_start(s, requests->v[i]);
	return err;
}

/* A call that is given a request. */
static int see_one(struct rsd_scout *s, const struct rsd_func *f, int64_t request)
{
	int status = rsd_func_find_param(f, "status"), flag = rsd_func_find_param(f, "flag");
	bool freed = !strcmp(f->name, "MPI_Request_free");

	if (!strcmp(f->name, "MPI_Start"))
		return see_start(s, request);
	if (freed || !strcmp(f->name, "MPI_Wait") ||
		(!strcmp(f->name, "MPI_Test") && flag >= 0 && s->arg[flag].head == 1))
		resolve(s, request, status < 0 ? RSD_ABSENT : s->arg[status].head,
			status < 0 ? NULL : s->arg[status].v);
	if (freed && !rsd_is_const(request))
		rsd_map_delete(&s->wild, key_of(s, request));
	return 0;
}

/* Is it one that moves the head? */
static bool is_counted(int64_t request)
{
	return !rsd_is_const(request) && request >= 0;
}

/* A call that makes one. */
static int see_made(struct rsd_scout *s, const struct rsd_func *f, int64_t request)
{
	if (rsd_is_const(request))
		return 0;
	if (request >= 0) {
		s->head++;
		return is_receive(f) && is_wild(s, f) ? add_receive(s, s->head) : 0;
	}
	return is_persistent_receive(f) && is_wild(s, f)
		       ? rsd_map_set(&s->wild, key_of(s, request), 1)
		       : 0;
}

static int see_event(struct rsd_scout *s, const struct rsd_event *e)
{
	const struct rsd_func *f = &s->r->trace->func[e->func];
	int one = rsd_func_find_param(f, "request"),
	    many = rsd_func_find_param(f, "array_of_requests");

	if (one < 0 && many < 0)
		return 0;
	if (RSD_GROW(s->arg, (size_t)f->nr_params, s->alloc_arg))
		return RSD_ERR_NOMEM;
	rsd_own_calls_split(f, e->val, s->arg);
	if (e->nested) { /* left to MPI, and others are counted from it */
		s->head += many < 0 && !takes_request(f->name) && is_counted(s->arg[one].head);
		return 0;
	}
	if (many >= 0)
		return see_several(s, f, &s->arg[many]);
	return takes_request(f->name) ? see_one(s, f, s->arg[one].head)
				      : see_made(s, f, s->arg[one].head);
}

bool rsd_scout_counts(const struct rsd_func *f, const struct rsd_arg *arg)
{
	int i = rsd_func_find_param(f, "request");

	return i >= 0 && !takes_request(f->name) && is_counted(arg[i].head);
}

/* ---- the scout -------------------------------------------------------------------------------- */

/* Only where there are such calls is there anything to look for. */
static bool may_be_wild(const struct rsd_func *f)
{
	return is_receive(f) || is_persistent_receive(f);
}

struct rsd_scout *rsd_scout_new(const struct rsd_replay *r, int thread, int *err)
{
	struct rsd_scout *s;

	*err = 0;
	if (!rsd_own_calls_have(r, thread, may_be_wild))
		return NULL;
	s = rsd_calloc(1, sizeof(*s));
	if (!s) {
		*err = RSD_ERR_NOMEM;
		return NULL;
	}
	s->r = r;
	*err = rsd_walk_new(&s->walk, r->trace, r->rank, thread);
	if (*err) {
		rsd_scout_free(s);
		return NULL;
	}
	return s;
}

void rsd_scout_free(struct rsd_scout *s)
{
	if (!s)
		return;
	rsd_walk_free(s->walk);
	rsd_map_release(&s->pending);
	rsd_map_release(&s->wild);
	free(s->ring);
	free(s->arg);
	free(s);
}

bool rsd_scout_next(struct rsd_scout *s, int64_t *source, int64_t *tag)
{
	struct rsd_event e;
	struct found *f;

	while (!s->at_end && (s->first == s->next || !s->ring[s->first % s->alloc].done)) {
		if (s->next - s->first > MOST_AHEAD)
			s->ring[s->first % s->alloc].done = true;
		else if (rsd_walk_next(s->walk, &e) || see_event(s, &e))
			s->at_end = true;
	}
	if (s->first == s->next)
		return false;
	f = &s->ring[s->first++ % s->alloc];
	*source = f->source;
	*tag = f->tag;
	return f->known;
}
