#include "left_out.h"

#include <string.h>
#include "play.h"
#include "special.h"

/*
 * Calls that failed had no effect and are left out, but for those that took a message that was too
 * long, or completed requests of which some failed: others depend on what they took.
 */
static bool has_effect(const struct rsd_trace *t, const struct rsd_event *e)
{
	int64_t v = e->val[e->nr_val - 1];
	const char *name;

	if (!rsd_is_const(v))
		return v == 0;
	name = t->constant[rsd_const_index(v)];
	return name && (!strcmp(name, "MPI_ERR_TRUNCATE") || !strcmp(name, "MPI_ERR_IN_STATUS"));
}

const char *rsd_left_out(const struct rsd_trace *t, const struct rsd_event *e, int func)
{
	if (!has_effect(t, e))
		return "failed in the traced run";
	return rsd_special_call(func) ? NULL : rsd_special_why_not(func);
}

bool rsd_has_late_calls(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		if (rsd_thread_is_after(t->place[i].thread))
			return true;
	}
	return false;
}
