#include <string.h>

#include "opstruct.h"
#include "util.h"

/* No MPI array is longer than an int can say; a longer one in a trace is damage. */
#define MAX_ELEMENTS INT32_MAX

int rsd_func_nr_old(const struct rsd_func *f)
{
	const size_t len = strlen(RSD_OLD);
	int nr = 0;

	for (; nr < f->nr_params; nr++) {
		const char *name = f->param[nr].name;
		int i = f->nr_params;

		if (strncmp(name, RSD_OLD, len) != 0)
			break;
		while (--i > nr && strcmp(f->param[i].name, name + len) != 0)
			;
		if (i <= nr)
			break;
	}
	return nr;
}

int rsd_func_find_param(const struct rsd_func *f, const char *name)
{
	for (int i = 0; i < f->nr_params; i++) {
		if (!strcmp(f->param[i].name, name))
			return i;
	}
	return -1;
}

size_t rsd_param_length(enum rsd_type type, const int64_t *v)
{
	size_t nr = 1;

	switch (type) {
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		return rsd_is_const(*v) ? 1 : 1 + (size_t)*v;
	case RSD_T_STATUS:
		return rsd_status_length(*v);
	case RSD_T_STATUSES:
		for (int64_t left = rsd_is_const(*v) ? 0 : *v; left > 0; left--)
			nr += rsd_status_length(v[nr]);
		return nr;
	default:
		return 1;
	}
}

int rsd_type_columns(enum rsd_type type)
{
	switch (type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		return 1;
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		return 2;
	case RSD_T_STATUS:
		return 4;
	case RSD_T_STATUSES:
		return 5;
	case RSD_NR_TYPES:
		break;
	}
	return 0;
}

int rsd_type_layout_columns(enum rsd_type type)
{
	switch (type) {
	case RSD_T_INTS:
	case RSD_T_STRINGS:
	case RSD_T_STATUS:
		return 1;
	case RSD_T_STATUSES:
		return 2;
	case RSD_T_INT:
	case RSD_T_STRING:
	case RSD_NR_TYPES:
		break;
	}
	return 0;
}

int rsd_func_first_column(const struct rsd_func *f, int param)
{
	int col = 0;

	for (int i = 0; i < param; i++)
		col += rsd_type_columns((enum rsd_type)f->param[i].type);
	return col;
}

int rsd_func_columns(const struct rsd_func *f)
{
	return rsd_func_first_column(f, f->nr_params) + 1;
}

void rsd_layout_init(struct rsd_layout *l, const struct rsd_func *f)
{
	*l = (struct rsd_layout){ .f = f };
}

int rsd_layout_column(const struct rsd_layout *l)
{
	return l->param > l->f->nr_params ? -1 : l->col + l->sub;
}

static void next_param(struct rsd_layout *l)
{
	l->col += rsd_type_columns((enum rsd_type)l->f->param[l->param].type);
	l->param++;
	l->sub = 0;
	l->left = 0;
}

/* The length of an array was read; a constant in its place has no elements. */
static int step_length(struct rsd_layout *l, int64_t n)
{
	if (rsd_is_const(n))
		n = 0;
	if (n < 0 || n > MAX_ELEMENTS)
		return RSD_ERR_FORMAT;
	l->left = n;
	l->sub = 1;
	if (!n)
		next_param(l);
	return 0;
}

/* Value 'kind' has been read and stands at sub column 'at': does more of this status follow? */
static int step_status(struct rsd_layout *l, int64_t v, int at)
{
	if (l->sub == at) {
		if (v < RSD_STATUS_ABSENT || v > RSD_STATUS_MATCHED)
			return RSD_ERR_FORMAT;
		if (v == RSD_STATUS_KEPT || v == RSD_STATUS_MATCHED) {
			l->sub++;
			return 0;
		}
	} else if (l->sub < at + 3) {
		l->sub++;
		return 0;
	}
	l->sub = at;
	if (--l->left <= 0)
		next_param(l);
	return 0;
}

size_t rsd_layout_run(const struct rsd_layout *l)
{
	int type = l->param < l->f->nr_params ? l->f->param[l->param].type : RSD_T_INT;

	return l->sub == 1 && (type == RSD_T_INTS || type == RSD_T_STRINGS) ? (size_t)l->left : 1;
}

void rsd_layout_pass(struct rsd_layout *l)
{
	next_param(l);
}

int rsd_layout_step(struct rsd_layout *l, int64_t v)
{
	rsd_assert(l->param <= l->f->nr_params);
	if (l->param == l->f->nr_params) {
		l->param++;
		return 0;
	}
	switch ((enum rsd_type)l->f->param[l->param].type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		next_param(l);
		return 0;
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		if (l->sub == 0)
			return step_length(l, v);
		if (--l->left == 0)
			next_param(l);
		return 0;
	case RSD_T_STATUS:
		return step_status(l, v, 0);
	case RSD_T_STATUSES:
		return l->sub == 0 ? step_length(l, v) : step_status(l, v, 1);
	case RSD_NR_TYPES:
		break;
	}
	return RSD_ERR_FORMAT;
}

static int64_t later(int64_t ns, uint64_t by)
{
	return by < (uint64_t)(RSD_LATEST_NS - ns) ? ns + (int64_t)by : RSD_LATEST_NS;
}

int64_t rsd_event_set_time(struct rsd_event *e, int64_t clock, uint64_t before_ns, uint64_t dur_ns)
{
	int64_t end;

	e->has_time = true;
	e->begin_ns = later(clock, before_ns);
	end = later(e->begin_ns, dur_ns);
	e->dur_ns = end - e->begin_ns;
	return end;
}

uint64_t rsd_event_before(const struct rsd_event *e, int64_t *clock)
{
	int64_t end = *clock;

	if (!e->has_time)
		return 0;
	*clock = e->begin_ns + e->dur_ns;
	return e->begin_ns > end ? (uint64_t)(e->begin_ns - end) : 0;
}
