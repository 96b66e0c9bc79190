#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "trace_text.h"
#include "util.h"

/* ---- showing ---------------------------------------------------------------------------- */

/* The index of a constant that says what group 'id' of the column is, over all ranks; or an error. */
static int name_group(struct rsd_trace *t, const struct rsd_scalars *a, int col, int id)
{
	uint32_t least = UINT32_MAX, largest = 0;
	double sum = 0, nr = 0;
	char name[64];
	size_t at = 0;
	int err;

	for (size_t i = 0; i < a->nr; i++) {
		const struct rsd_scalar *s = &a->s[i];

		if (s->col != col || s->id != id)
			continue;
		for (size_t k = 0; k < s->nr_bins; k++) {
			nr += (double)s->bin[k].nr;
			sum += (double)s->bin[k].nr * s->bin[k].value;
		}
		least = s->bin[0].value < least ? s->bin[0].value : least;
		if (s->bin[s->nr_bins - 1].value > largest)
			largest = s->bin[s->nr_bins - 1].value;
	}
	if (nr == 0) /* nothing refers to it, or there is nothing to refer to */
		return RSD_SCALAR_FIRST + id;
	snprintf(name, sizeof(name), "~%.0f(%" PRIu32 "..%" PRIu32 ")", sum / nr, least, largest);
	while (at < t->nr_constants && (!t->constant[at] || strcmp(t->constant[at], name) != 0))
		at++;
	if (at < t->nr_constants)
		return (int)at;
	err = rsd_trace_set_constant(t, (int)at, name);
	return err ? err : (int)at;
}

/* Replaces references by the constants of these indices. */
static int show_column(struct rsd_column **c, const int name[RSD_SCALAR_IDS])
{
	size_t nr = rsd_column_nr_numbers(*c);
	int64_t *number = rsd_calloc(nr + 1, sizeof(*number));
	struct rsd_column *to;

	if (!number)
		return RSD_ERR_NOMEM;
	rsd_column_get_numbers(*c, number);
	for (size_t i = 0; i < nr; i++)
		if (rsd_scalar_id(number[i]) >= 0)
			number[i] = RSD_CONST(name[rsd_scalar_id(number[i])]);
	to = rsd_column_with_numbers(*c, number);
	free(number);
	if (!to)
		return RSD_ERR_NOMEM;
	rsd_column_free(*c);
	*c = to;
	return 0;
}

static int show_params(struct rsd_params *p, const int name[RSD_SCALAR_IDS])
{
	int err = 0;

	for (size_t i = 0; i < p->enc[RSD_E_ABS].nr && !err; i++) {
		struct rsd_variant *v = &p->enc[RSD_E_ABS].variant[i];

		err = show_column(&v->col, name);
		for (size_t k = 0; k < v->nr_numbers && !err; k++)
			err = show_column(&v->number[k].over, name);
		if (!err)
			v->skeleton = 0;
	}
	return err;
}

struct shown { /* a place's column, or a loop's counts */
	struct rsd_params *params;
	const struct rsd_scalars *groups;
	int col;
};

static int show_columns(struct rsd_trace *t, const struct shown *k)
{
	int name[RSD_SCALAR_IDS], err = 0;

	if (!rsd_scalars_has(k->groups, k->col))
		return 0;
	for (int id = 0; id < RSD_SCALAR_IDS && !err; id++) {
		name[id] = name_group(t, k->groups, k->col, id);
		err = name[id] < 0 ? name[id] : 0;
	}
	return err ? err : show_params(k->params, name);
}

int rsd_scalars_show(struct rsd_trace *t)
{
	int err = 0;

	if (!rsd_trace_has_scalars(t))
		return 0;
	for (size_t i = 0; i < t->nr_places && !err; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr && !err; c++)
			err = show_columns(t, &(struct shown){ &p->col[c], &p->scalars, c });
	}
	for (size_t i = 0; i < t->nr_trees; i++)
		for (struct rsd_node *n = t->tree[i].first; n && !err; n = rsd_node_after(n, NULL))
			err = show_columns(t, &(struct shown){ &n->count, &n->scalars, 0 });
	t->drawn = !err;
	return err;
}

/* ---- telling ----------------------------------------------------------------------------- */

struct list {
	const struct rsd_trace *t;
	struct rsd_buf *out;
	const char *sep;
	uint32_t error;
};

static void note_error(struct list *l, const struct rsd_scalars *a)
{
	for (size_t k = 0; k < a->nr; k++)
		l->error = a->s[k].error > l->error ? a->s[k].error : l->error;
}

/* Was this function's column told of an earlier place? */
static bool is_known(const struct rsd_trace *t, size_t place, int col)
{
	for (size_t i = 0; i < place; i++)
		if (t->place[i].func == t->place[place].func &&
			rsd_scalars_has(&t->place[i].scalars, col))
			return true;
	return false;
}

static void list_place(struct list *l, size_t index)
{
	const struct rsd_place *p = &l->t->place[index];
	const struct rsd_func *f = &l->t->func[p->func];
	int nr = p->scalars.nr ? rsd_func_columns(f) : 0;

	note_error(l, &p->scalars);
	for (int c = 0; c < nr; c++) {
		if (!rsd_scalars_has(&p->scalars, c) || is_known(l->t, index, c))
			continue;
		rsd_buf_printf(l->out, "%s%s ", l->sep, f->name);
		rsd_text_column_name(f, c, l->out);
		l->sep = ", ";
	}
}

/* The function of a loop's first call. */
static int func_of(const struct rsd_trace *t, const struct rsd_node *n)
{
	while (n && n->place < 0)
		n = n->first;
	return n ? t->place[n->place].func : -1;
}

/* Counts of loops, by what these begin with: each function once. */
static void list_loops(struct list *l)
{
	bool *told = rsd_calloc(l->t->nr_funcs + 1, sizeof(*told));

	if (!told)
		l->out->err = RSD_ERR_NOMEM;
	for (size_t i = 0; told && i < l->t->nr_trees; i++) {
		const struct rsd_node *n = l->t->tree[i].first;

		for (; n; n = rsd_node_after(n, NULL)) {
			int f = n->scalars.nr ? func_of(l->t, n) : -1;

			note_error(l, &n->scalars);
			if (f < 0 || told[f])
				continue;
			told[f] = true;
			rsd_buf_printf(
				l->out, "%scounts of loops at %s", l->sep, l->t->func[f].name);
			l->sep = ", ";
		}
	}
	free(told);
}

void rsd_scalars_list(const struct rsd_trace *t, struct rsd_buf *out)
{
	struct list l = { t, out, "", 0 };

	for (size_t i = 0; i < t->nr_places; i++)
		list_place(&l, i);
	list_loops(&l);
	if (*l.sep)
		rsd_buf_printf(out, " (within %g %%)", l.error / 1000.0);
}
