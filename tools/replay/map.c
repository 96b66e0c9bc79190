#include "map.h"

#include <stdlib.h>
#include <string.h>
#include "player.h"
#include "special.h"
#include "tool.h"
#include "util.h"

int rsd_replay_find_func(const char *name)
{
	for (int i = 0; i < rsd_nr_funcs; i++) {
		if (!strcmp(rsd_funcs[i].name, name))
			return i;
	}
	return -1;
}

static int find_param(const struct rsd_func *f, const char *name)
{
	int i = rsd_func_find_param(f, name);

	/* A trace without the value from before the call has the one after it. */
	return i < 0 && !strncmp(name, "old_", 4) ? rsd_func_find_param(f, name + 4) : i;
}

/* By name: another MPI, or another version of the spec, may have other parameters. */
static bool map_params(const struct rsd_func *theirs, struct rsd_play_func *f)
{
	const struct rsd_func *ours = &rsd_funcs[f->func];

	f->call = rsd_special_call(f->func);
	f->param = rsd_calloc((size_t)ours->nr_params + 1, sizeof(*f->param));
	if (!f->param)
		return false;
	for (int i = 0; i < ours->nr_params; i++) {
		int k = find_param(theirs, ours->param[i].name);

		if (k >= 0 && theirs->param[k].type != ours->param[i].type) {
			rsd_tool_error("%s has another kind of '%s' in this MPI than in the trace",
				ours->name, ours->param[i].name);
			return false;
		}
		f->param[i] = k;
	}
	return true;
}

static bool map_funcs(struct rsd_replay *r)
{
	const struct rsd_trace *t = r->trace;
	bool ok = true;

	r->func = rsd_calloc(t->nr_funcs + 1, sizeof(*r->func));
	if (!r->func)
		return false;
	for (size_t i = 0; i < t->nr_funcs; i++) {
		r->func[i].func = rsd_replay_find_func(t->func[i].name);
		if (r->func[i].func < 0)
			rsd_tool_error(
				"this MPI has no %s, which the trace calls", t->func[i].name);
		ok &= r->func[i].func >= 0 && map_params(&t->func[i], &r->func[i]);
	}
	return ok;
}

static const struct rsd_constant *find_constant(const char *name)
{
	for (int i = 1; i < rsd_nr_constants; i++) {
		if (!strcmp(rsd_constants[i].name, name))
			return &rsd_constants[i];
	}
	return NULL;
}

/* Classes of errors are only compared with, never passed. */
static bool is_error_class(const char *name)
{
	return strstr(name, "_ERR_") != NULL;
}

static bool map_constants(struct rsd_replay *r)
{
	const struct rsd_trace *t = r->trace;
	bool ok = true;

	r->constant = rsd_calloc(t->nr_constants + 1, sizeof(*r->constant));
	if (!r->constant)
		return false;
	for (size_t i = 1; i < t->nr_constants; i++) {
		const struct rsd_constant *k =
			t->constant[i] ? find_constant(t->constant[i]) : NULL;

		if (k)
			r->constant[i] = k->value;
		if (k || !t->constant[i] || is_error_class(t->constant[i]))
			continue;
		rsd_tool_error("this MPI has no %s, which the trace uses", t->constant[i]);
		ok = false;
	}
	return ok;
}

static bool map_sigs(struct rsd_replay *r)
{
	const struct rsd_trace *t = r->trace;

	if (!r->guide)
		return true;
	r->sig = rsd_calloc(t->sigs.nr_sigs + 1, sizeof(*r->sig));
	if (!r->sig)
		return false;
	for (size_t i = 0; i < t->sigs.nr_sigs; i++) {
		r->sig[i] = r->guide->signature(&t->sigs, (int)i);
		if (r->sig[i] < -1)
			return false;
	}
	return true;
}

bool rsd_replay_map(struct rsd_replay *r)
{
	rsd_constants_init();
	return map_funcs(r) && map_constants(r) && map_sigs(r);
}

void rsd_replay_unmap(struct rsd_replay *r)
{
	for (size_t i = 0; r->func && i < r->trace->nr_funcs; i++)
		free(r->func[i].param);
	free(r->func);
	free(r->constant);
	free(r->sig);
}
