#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "trace.h"
#include "trace_text.h"
#include "util.h"

#define ROUNDS 4
#define SEED 0x9e3779b97f4a7c15u /* part of the format: every reader draws the same */

/* ---- drawing ---------------------------------------------------------------------------- */

/*
 * A permutation of 0..n-1 that needs no memory: a Feistel network over the next power of 4, gone through again while the
 * result is outside (Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002).
 */
static uint64_t permuted(uint64_t i, uint64_t n)
{
	int half = 1;

	while ((uint64_t)1 << 2 * half < n)
		half++;
	do {
		uint64_t mask = ((uint64_t)1 << half) - 1, l = i >> half, r = i & mask;

		for (uint64_t k = 1; k <= ROUNDS; k++) {
			uint64_t next = l ^ (rsd_hash_mix(SEED * k + r) & mask);

			l = r;
			r = next;
		}
		i = l << half | r;
	} while (i >= n);
	return i;
}

static uint32_t value_at(const struct rsd_scalar *s, uint64_t position)
{
	size_t i = 0;

	while (i + 1 < s->nr_bins && position >= s->bin[i].nr)
		position -= s->bin[i++].nr;
	return s->bin[i].value;
}

struct source { /* a group, as one rank draws from it */
	const struct rsd_scalar *s;
	uint64_t first, step; /* the rank's of the sorted values */
	uint64_t drawn;
};

/* The groups of the rank's column; by number. */
static void find_sources(
	const struct rsd_scalars *a, int col, int rank, struct source source[RSD_SCALAR_IDS])
{
	memset(source, 0, RSD_SCALAR_IDS * sizeof(*source));
	for (size_t i = 0; i < a->nr; i++) {
		const struct rsd_scalar *s = &a->s[i];

		if (s->col == col && !source[s->id].s && rsd_ranks_has(&s->ranks, rank))
			source[s->id] = (struct source){ s, rsd_ranks_position(&s->ranks, rank),
				rsd_ranks_count(&s->ranks), 0 };
	}
}

static int draw(struct source *from, int64_t *v)
{
	int id = rsd_scalar_id(*v);
	struct source *f = id < 0 ? NULL : &from[id];

	if (!f)
		return 0;
	if (!f->s || f->drawn >= f->s->draws)
		return RSD_ERR_FORMAT;
	*v = value_at(f->s, f->first + f->step * permuted(f->drawn++, f->s->draws));
	return 0;
}

static int draw_column(struct source *from, const struct rsd_column *c, struct rsd_column *to)
{
	struct rsd_cursor *k = rsd_cursor_new(c);
	int err = k ? 0 : RSD_ERR_NOMEM;
	int64_t v;

	while (!err && !rsd_cursor_next(k, &v)) {
		err = draw(from, &v);
		if (!err)
			err = rsd_column_append(to, v);
	}
	rsd_cursor_free(k);
	for (int i = 0; i < RSD_SCALAR_IDS && !err; i++)
		if (from[i].s && from[i].drawn != from[i].s->draws)
			err = RSD_ERR_FORMAT;
	return err;
}

/* Appends the rank's column, drawn, to 'out'. */
static int draw_rank(
	const struct rsd_place *p, int col, int rank, uint64_t *room, struct rsd_params *out)
{
	struct source from[RSD_SCALAR_IDS];
	struct rsd_params one = RSD_PARAMS_INIT;
	struct rsd_column *c, *to;
	enum rsd_encoding enc;
	uint64_t cost = RSD_SCALAR_RANK_COST;
	int err = rsd_params_get(&p->col[col], rank, &enc, &c);

	if (err)
		return err;
	cost += rsd_column_length(c);
	if (cost > *room) {
		rsd_column_free(c);
		return RSD_ERR_RANGE;
	}
	*room -= cost;
	find_sources(&p->scalars, col, rank, from);
	to = rsd_column_new(false);
	err = to ? draw_column(from, c, to) : RSD_ERR_NOMEM;
	rsd_column_free(c);
	if (err) {
		rsd_column_free(to);
		return err;
	}
	err = rsd_params_set(&one, rank, to, NULL);
	if (!err)
		err = rsd_params_merge(out, &one);
	rsd_params_release(&one);
	return err;
}

static bool has_groups(const struct rsd_place *p, int col)
{
	for (size_t i = 0; i < p->scalars.nr; i++)
		if (p->scalars.s[i].col == col)
			return true;
	return false;
}

static int draw_params(struct rsd_place *p, int col, uint64_t *room)
{
	struct rsd_params out = RSD_PARAMS_INIT;
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	int err = rsd_params_ranks(&p->col[col], &ranks);

	for (int r = rsd_ranks_first(&ranks); r >= 0 && !err; r = rsd_ranks_next(&ranks, r))
		err = draw_rank(p, col, r, room, &out);
	rsd_ranks_release(&ranks);
	if (err) {
		rsd_params_release(&out);
		return err;
	}
	rsd_params_release(&p->col[col]);
	p->col[col] = out;
	return 0;
}

static int say_drawn(struct rsd_trace *t)
{
	struct rsd_buf text = RSD_BUF_INIT;
	int err;

	rsd_scalars_list(t, &text);
	rsd_buf_put_byte(&text, 0);
	err = text.err ? text.err : rsd_trace_set_meta(t, "drawn", (const char *)text.data);
	rsd_buf_release(&text);
	return err;
}

int rsd_scalars_draw(struct rsd_trace *t, struct rsd_buf *why)
{
	uint64_t room = RSD_SCALAR_MAX_DRAWN;
	int err = 0;

	if (!rsd_trace_has_scalars(t))
		return 0;
	for (size_t i = 0; i < t->nr_places && !err; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr && !err; c++)
			if (has_groups(p, c))
				err = draw_params(p, c, &room);
		if (err == RSD_ERR_FORMAT)
			rsd_buf_printf(why,
				"place %zu: a histogram with other values than its "
				"column draws from it",
				i);
	}
	if (err == RSD_ERR_RANGE)
		rsd_buf_printf(why, "more values to draw from histograms than there is room for");
	if (!err)
		err = say_drawn(t);
	t->drawn = !err;
	return err;
}

/* ---- showing ---------------------------------------------------------------------------- */

/* The index of a constant that says what group 'id' of the column is, over all ranks; or an error. */
static int name_group(struct rsd_trace *t, const struct rsd_place *p, int col, int id)
{
	uint32_t least = UINT32_MAX, largest = 0;
	double sum = 0, nr = 0;
	char name[64];
	size_t at = 0;
	int err;

	for (size_t i = 0; i < p->scalars.nr; i++) {
		const struct rsd_scalar *s = &p->scalars.s[i];

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
			v->skeleton = rsd_column_skeleton_hash(v->col);
	}
	return err;
}

int rsd_scalars_show(struct rsd_trace *t)
{
	int name[RSD_SCALAR_IDS], err = 0;

	if (!rsd_trace_has_scalars(t))
		return 0;
	for (size_t i = 0; i < t->nr_places && !err; i++) {
		struct rsd_place *p = &t->place[i];
		int nr = rsd_func_columns(&t->func[p->func]);

		for (int c = 0; c < nr && !err; c++) {
			if (!has_groups(p, c))
				continue;
			for (int id = 0; id < RSD_SCALAR_IDS && !err; id++) {
				name[id] = name_group(t, p, c, id);
				err = name[id] < 0 ? name[id] : 0;
			}
			if (!err)
				err = show_params(&p->col[c], name);
		}
	}
	t->drawn = !err;
	return err;
}

/* ---- telling ----------------------------------------------------------------------------- */

/* Was this function's column told of an earlier place? */
static bool is_known(const struct rsd_trace *t, size_t place, int col)
{
	for (size_t i = 0; i < place; i++)
		if (t->place[i].func == t->place[place].func && has_groups(&t->place[i], col))
			return true;
	return false;
}

void rsd_scalars_list(const struct rsd_trace *t, struct rsd_buf *out)
{
	const char *sep = "";
	uint32_t error = 0;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];
		const struct rsd_func *f = &t->func[p->func];
		int nr = p->scalars.nr ? rsd_func_columns(f) : 0;

		for (size_t k = 0; k < p->scalars.nr; k++)
			error = p->scalars.s[k].error > error ? p->scalars.s[k].error : error;
		for (int c = 0; c < nr; c++) {
			if (!has_groups(p, c) || is_known(t, i, c))
				continue;
			rsd_buf_printf(out, "%s%s ", sep, f->name);
			rsd_text_column_name(f, c, out);
			sep = ", ";
		}
	}
	if (*sep)
		rsd_buf_printf(out, " (within %g %%)", error / 1000.0);
}
