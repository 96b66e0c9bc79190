/* sweep.c - see sweep.h */
#include "sweep.h"

#include <stdlib.h>
#include "util.h"

#define MOST_VARIANTS 64 /* they are looked through for each rank */

struct rsd_sweep_variant {
	const struct rsd_variant *v;
	enum rsd_encoding enc;
	struct rsd_cursor **next; /* of each number that differs */
	size_t at;		  /* position in the ranks that comes next */
	int64_t *number;	  /* of the column, with those of the last rank in it */
};

void rsd_sweep_init(struct rsd_sweep *s, const struct rsd_params *p)
{
	*s = (struct rsd_sweep){ .p = p };
}

static void rewind_variant(struct rsd_sweep_variant *x)
{
	for (size_t i = 0; x->next && i < x->v->nr_numbers; i++)
		rsd_cursor_free(x->next[i]);
	free(x->next);
	x->next = NULL;
	x->at = 0;
}

void rsd_sweep_release(struct rsd_sweep *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		rewind_variant(&s->variant[i]);
		free(s->variant[i].number);
	}
	free(s->variant);
	s->variant = NULL;
	s->nr = 0;
}

static int open_sweep(struct rsd_sweep *s)
{
	size_t nr = s->p->enc[RSD_E_ABS].nr + s->p->enc[RSD_E_REL].nr;

	s->variant = rsd_calloc(nr + 1, sizeof(*s->variant));
	if (!s->variant)
		return RSD_ERR_NOMEM;
	for (int e = 0; e < RSD_NR_ENCODINGS; e++)
		for (size_t i = 0; i < s->p->enc[e].nr; i++)
			s->variant[s->nr++] = (struct rsd_sweep_variant){ &s->p->enc[e].variant[i],
				(enum rsd_encoding)e, NULL, 0, NULL };
	return 0;
}

static int open_variant(struct rsd_sweep_variant *x)
{
	rewind_variant(x);
	x->next = rsd_calloc(x->v->nr_numbers + 1, sizeof(*x->next));
	if (x->next && !x->number) {
		x->number = rsd_calloc(rsd_column_nr_numbers(x->v->col) + 1, sizeof(*x->number));
		if (x->number)
			rsd_column_get_numbers(x->v->col, x->number);
	}
	if (!x->next || !x->number)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < x->v->nr_numbers; i++) {
		x->next[i] = rsd_cursor_new(x->v->number[i].over);
		if (!x->next[i])
			return RSD_ERR_NOMEM;
	}
	return 0;
}

static int draw(struct rsd_sweep_variant *x, int rank, struct rsd_column **out)
{
	size_t at = rsd_ranks_position(&x->v->ranks, rank);
	int err = 0;

	if (!x->v->nr_numbers) {
		*out = rsd_column_copy(x->v->col);
		return *out ? 0 : RSD_ERR_NOMEM;
	}
	if (!x->next || at < x->at)
		err = open_variant(x);
	for (size_t i = 0; i < x->v->nr_numbers && !err; i++) {
		if (at > x->at)
			err = rsd_cursor_skip(x->next[i], at - x->at);
		if (!err)
			err = rsd_cursor_next(x->next[i], &x->number[x->v->number[i].index]);
	}
	x->at = at + 1;
	if (err)
		return err == RSD_ERR_END ? RSD_ERR_FORMAT : err;
	*out = rsd_column_with_numbers(x->v->col, x->number);
	return *out ? 0 : RSD_ERR_FORMAT;
}

int rsd_sweep_get(struct rsd_sweep *s, int rank, enum rsd_encoding *enc, struct rsd_column **out)
{
	int err = s->variant ? 0 : open_sweep(s);

	if (err)
		return err;
	if (s->nr > MOST_VARIANTS)
		return rsd_params_get(s->p, rank, enc, out);
	for (size_t i = 0; i < s->nr; i++) {
		if (!rsd_ranks_has(&s->variant[i].v->ranks, rank))
			continue;
		*enc = s->variant[i].enc;
		return draw(&s->variant[i], rank, out);
	}
	return RSD_ERR_END;
}
