/*
 * lcs.h - longest common subsequence, in linear space and with bounded work
 *
 * E. Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica
 * 1986, section 4b: the middle of a shortest edit path is found from both ends
 * at once, then each half by itself. Two elements match if the caller says so; this need be
 * no equivalence. The work, counted in comparisons, is charged to an account;
 * when it is used up, what has not been aligned stays without partners.
 */
#ifndef RSD_LCS_H
#define RSD_LCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rsd_lcs {
	/* Do elements i of the first and j of the second sequence match? May charge *work, too. */
	bool (*match)(size_t i, size_t j, void *arg);
	void *arg;
	int64_t *work; /* what may still be spent; lessened, may end a little below 0 */
	/* The elements that take part, ascending: what match() is called with. */
	const size_t *a, *b;
	size_t nr_a, nr_b;
	size_t *pair;	       /* pair[a[x]] := b[y] for each pair found; all else is left alone */
	int64_t *ahead, *back; /* scratch of rsd_lcs_find */
};

/* Pairs in ascending order on both sides. 0 or RSD_ERR_NOMEM. */
int rsd_lcs_find(struct rsd_lcs *l);

#endif
