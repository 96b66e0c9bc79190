/* volume_event.c - the bytes of a single call: see volume.h */
#include "volume_parts.h"

/* Where the values of parameter 'param' are in the vector, and how many. */
static size_t find_param(
	const struct rsd_func *fn, const struct rsd_event *e, int param, size_t *nr)
{
	struct rsd_layout l;
	size_t i = 0;

	rsd_layout_init(&l, fn);
	while (i < e->nr_val && l.param < param && rsd_layout_step(&l, e->val[i]) == 0)
		i++;
	if (fn->param[param].type == RSD_T_INTS && i < e->nr_val) {
		int64_t n = e->val[i++];

		*nr = rsd_is_const(n) || n < 0 || (uint64_t)n > e->nr_val - i ? 0 : (size_t)n;
	} else {
		*nr = i < e->nr_val;
	}
	return i;
}

static int64_t value_of(const struct rsd_func *fn, const struct rsd_event *e, int param)
{
	size_t nr, at = param < 0 ? 0 : find_param(fn, e, param, &nr);

	return param < 0 || !nr ? RSD_ABSENT : e->val[at];
}

static double weight_of_event(
	const struct rsd_trace *t, const struct rsd_event *e, enum rsd_weight weight, bool *unknown)
{
	const struct rsd_func *fn = &t->func[e->func];
	const struct rsd_whereabouts where = { e->rank,
		value_of(fn, e, rsd_volume_find_role(fn, RSD_R_COMM, NULL)),
		value_of(fn, e, rsd_volume_find_role(fn, RSD_R_PEER, "root")), false };
	double w = rsd_weight_of(t, weight, &where);

	*unknown |= w < 0;
	return w < 0 ? 0 : w;
}

static double event_bytes(const struct rsd_trace *t, const struct rsd_event *e,
	const struct rsd_volume_side *s, bool *unknown)
{
	const struct rsd_func *fn = &t->func[e->func];
	size_t nc, ny, c, y;
	double bytes = 0;

	if (s->count < 0 || s->type < 0)
		return 0;
	c = find_param(fn, e, s->count, &nc);
	y = find_param(fn, e, s->type, &ny);
	for (size_t i = 0; i < nc && ny; i++) {
		int64_t n = e->val[c + i];

		if (!rsd_is_const(n) && n != 0)
			bytes += rsd_volume_times_size(
				t, (double)n, e->val[y + (i < ny ? i : ny - 1)], e->rank, unknown);
	}
	if (bytes > 0 && s->weight != RSD_WEIGHT_ONCE)
		bytes *= weight_of_event(t, e, s->weight, unknown);
	return bytes;
}

void rsd_volume_of_event(
	const struct rsd_trace *t, const struct rsd_event *e, struct rsd_volume *out)
{
	const struct rsd_func *fn = &t->func[e->func];
	int64_t error = e->nr_val ? e->val[e->nr_val - 1] : 0;
	struct rsd_volume_side sent, received;

	*out = (struct rsd_volume){ .calls = 1, .failed = rsd_volume_is_error(error) };
	if (rsd_volume_moved_nothing(t, error))
		return;
	rsd_volume_sides(fn, &sent, &received);
	out->sent = event_bytes(t, e, &sent, &out->unknown);
	out->received = event_bytes(t, e, &received, &out->unknown);
}
