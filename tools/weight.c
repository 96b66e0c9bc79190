/* weight.c - see weight.h */
#include "weight.h"

#include <string.h>
#include <strings.h>
#include "util.h"

static const struct {
	const char *name; /* without MPI_, I and _c */
	struct rsd_flow flow;
} known[] = {
	{ "Bcast", { RSD_WEIGHT_AT_ROOT, RSD_WEIGHT_ELSEWHERE, true } },
	{ "Reduce", { RSD_WEIGHT_ONCE, RSD_WEIGHT_AT_ROOT, true } },
	{ "Allreduce", { RSD_WEIGHT_ONCE, RSD_WEIGHT_ONCE, true } },
	{ "Scan", { RSD_WEIGHT_ONCE, RSD_WEIGHT_ONCE, true } },
	{ "Exscan", { RSD_WEIGHT_ONCE, RSD_WEIGHT_NOT_FIRST, true } },
	{ "Reduce_scatter_block", { RSD_WEIGHT_PEERS, RSD_WEIGHT_ONCE, true } },
	{ "Gather", { RSD_WEIGHT_ONCE, RSD_WEIGHT_PEERS, false } },
	{ "Allgather", { RSD_WEIGHT_ONCE, RSD_WEIGHT_PEERS, false } },
	{ "Scatter", { RSD_WEIGHT_PEERS, RSD_WEIGHT_ONCE, false } },
	{ "Alltoall", { RSD_WEIGHT_PEERS, RSD_WEIGHT_PEERS, false } },
};

static bool is_named(const char *s, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(s, name, len) && (!s[len] || !strcmp(s + len, "_c"));
}

struct rsd_flow rsd_flow_of(const struct rsd_func *fn)
{
	const char *s = fn->name;

	if (!strncmp(s, "MPI_", 4))
		s += 4;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(known); i++)
		if (is_named(s, known[i].name) || (*s == 'I' && is_named(s + 1, known[i].name)))
			return known[i].flow;
	return (struct rsd_flow){ RSD_WEIGHT_ONCE, RSD_WEIGHT_ONCE, false };
}

int64_t rsd_object_attribute(
	const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id, int attr, int rank)
{
	const struct rsd_object *o = rsd_trace_find_object(t, kind, id);
	struct rsd_column *col;
	enum rsd_encoding enc;
	int64_t v = -1;

	if (!o || rsd_params_get(&o->attr[attr], rank, &enc, &col))
		return -1;
	if (!rsd_column_is_constant(col, &v) || rsd_is_const(v))
		v = -1;
	rsd_column_free(col);
	return v;
}

/* 1 or 0; below 0 where it is not known. */
static double is_root(const struct rsd_trace *t, const struct rsd_whereabouts *w)
{
	int64_t own;

	if (rsd_is_const(w->root))
		return rsd_trace_is_constant(t, w->root, "MPI_ROOT");
	if (w->relative)
		return w->root == 0;
	/* On an intercommunicator a number is a rank of the other side. */
	if (rsd_object_attribute(t, RSD_O_COMM, w->comm, 3, w->rank) > 0)
		return 0;
	own = rsd_object_attribute(t, RSD_O_COMM, w->comm, 1, w->rank);
	return own < 0 ? -1 : own == w->root;
}

double rsd_weight_of(
	const struct rsd_trace *t, enum rsd_weight weight, const struct rsd_whereabouts *w)
{
	double root;
	int64_t own;

	switch (weight) {
	case RSD_WEIGHT_ONCE:
		break;
	case RSD_WEIGHT_PEERS:
		return (double)rsd_object_attribute(t, RSD_O_COMM, w->comm, 0, w->rank);
	case RSD_WEIGHT_AT_ROOT:
		return is_root(t, w);
	case RSD_WEIGHT_ELSEWHERE:
		root = is_root(t, w);
		return root < 0 ? root : 1 - root;
	case RSD_WEIGHT_NOT_FIRST:
		own = rsd_object_attribute(t, RSD_O_COMM, w->comm, 1, w->rank);
		return own < 0 ? -1 : own != 0;
	}
	return 1;
}
