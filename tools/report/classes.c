/* classes.c - see classes.h */
#include "classes.h"

#include <stdlib.h>
#include "util.h"

#define MOST_CLASSES 1024 /* more are as well looked at rank by rank */

void report_classes_release(struct report_classes *c)
{
	for (size_t i = 0; i < c->nr; i++)
		rsd_ranks_release(&c->class[i].ranks);
	free(c->class);
	*c = REPORT_CLASSES_INIT;
}

/* Takes the ranks. */
static int add_class(struct report_classes *c, struct rsd_ranks *ranks, bool each)
{
	if (RSD_GROW(c->class, c->nr + 1, c->alloc)) {
		rsd_ranks_release(ranks);
		return RSD_ERR_NOMEM;
	}
	c->class[c->nr++] = (struct report_class){ *ranks, each };
	return 0;
}

int report_classes_begin(struct report_classes *c, const struct rsd_ranks *ranks)
{
	struct rsd_ranks all = RSD_RANKS_INIT;
	int err = rsd_ranks_add(&all, ranks);

	*c = REPORT_CLASSES_INIT;
	if (err)
		rsd_ranks_release(&all);
	return err ? err : add_class(c, &all, false);
}

void report_classes_each(struct report_classes *c)
{
	for (size_t i = 0; i < c->nr; i++)
		c->class[i].each = true;
}

int report_classes_split_at(struct report_classes *c, const struct rsd_ranks *ranks, bool each)
{
	size_t nr = c->nr;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct rsd_ranks in = RSD_RANKS_INIT, out = RSD_RANKS_INIT;

		if (rsd_ranks_equal(&c->class[i].ranks, ranks)) {
			c->class[i].each |= each;
			return 0;
		}
		err = rsd_ranks_intersect(&in, &c->class[i].ranks, ranks);
		if (!err)
			err = rsd_ranks_minus(&out, &c->class[i].ranks, &in);
		if (err || rsd_ranks_is_empty(&in)) {
			rsd_ranks_release(&in);
			rsd_ranks_release(&out);
			continue;
		}
		if (rsd_ranks_is_empty(&out)) {
			rsd_ranks_release(&in);
			c->class[i].each |= each;
			continue;
		}
		rsd_ranks_release(&c->class[i].ranks);
		c->class[i].ranks = out;
		err = add_class(c, &in, c->class[i].each || each);
	}
	return err;
}

int report_classes_split(struct report_classes *c, const struct rsd_params *p)
{
	size_t variants = p->enc[RSD_E_ABS].nr + p->enc[RSD_E_REL].nr;
	int err = 0;

	if (variants * c->nr > MOST_CLASSES) {
		report_classes_each(c);
		return 0;
	}
	for (int e = 0; e < RSD_NR_ENCODINGS; e++) {
		for (size_t i = 0; i < p->enc[e].nr && !err; i++) {
			const struct rsd_variant *v = &p->enc[e].variant[i];

			err = report_classes_split_at(c, &v->ranks, v->nr_numbers > 0);
		}
	}
	return err;
}
