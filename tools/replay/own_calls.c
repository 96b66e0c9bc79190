#include "own_calls.h"

#include "player.h"

/* Has this rank any calls at the place? Each has an error code. */
static bool is_own(const struct rsd_trace *t, const struct rsd_place *p, int rank)
{
	struct rsd_column *c;
	enum rsd_encoding enc;

	if (rsd_params_get(&p->col[rsd_func_columns(&t->func[p->func]) - 1], rank, &enc, &c))
		return false;
	rsd_column_free(c);
	return true;
}

bool rsd_own_calls_have(
	const struct rsd_replay *r, int thread, bool (*is)(const struct rsd_func *f))
{
	const struct rsd_trace *t = r->trace;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];

		if (!p->nested && rsd_thread_number(p->thread) == thread && is(&t->func[p->func]) &&
			is_own(t, p, r->rank))
			return true;
	}
	return false;
}

void rsd_own_calls_split(const struct rsd_func *f, const int64_t *val, struct rsd_arg *arg)
{
	for (int i = 0; i < f->nr_params; i++) {
		size_t nr = rsd_param_length(f->param[i].type, val);

		arg[i] = (struct rsd_arg){ .head = *val, .v = val + 1, .nr = nr - 1 };
		val += nr;
	}
}
