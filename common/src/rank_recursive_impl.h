/*
 * rank_recursive_impl.h - what rank_recursive.c and rank_sections.c share
 */
#ifndef RSD_RANK_RECURSIVE_IMPL_H
#define RSD_RANK_RECURSIVE_IMPL_H

#include "rank_recursive.h"

struct rsd_ranks_build {
	struct rsd_ranks *s;
	size_t budget; /* steps left before input counts as hostile */
};

static inline int rsd_run_last(const struct rsd_run *r)
{
	int last = r->first;

	for (int i = 0; i < r->nr_dims; i++)
		last += (r->dim[i].count - 1) * r->dim[i].stride;
	return last;
}

/* 'block' repeated: one more dimension outside. */
static inline struct rsd_run rsd_run_repeat(const struct rsd_run *block, int count, int stride)
{
	struct rsd_run r = *block;

	if (count == 1)
		return r;
	for (int i = r.nr_dims; i > 0; i--)
		r.dim[i] = r.dim[i - 1];
	r.nr_dims++;
	r.dim[0].count = count;
	r.dim[0].stride = stride;
	return r;
}

/*
 * Adds a run read from outside: it must ascend, start above the last member and stay
 * below 'limit'. Dimensions that continue each other are joined, so that adding it
 * falls into step. RSD_ERR_FORMAT, too, where that takes more steps than there are in the budget:
 * what was written here takes one.
 */
int rsd_ranks_add_checked(struct rsd_ranks_build *b, const struct rsd_run *e, int limit);

#endif
