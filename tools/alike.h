/*
 * alike.h - are a thread's calls equal in two traces? Where loops and columns are, at once
 *
 * Two traces of one program mostly have the same loops and the same columns. Then a billion calls are equal
 * without a look at any of them.
 */
#ifndef RSD_ALIKE_H
#define RSD_ALIKE_H

#include "same.h"

/* True: the calls of this thread of this rank are equal. False says nothing. Of traces that 's' compares. */
bool rsd_alike_thread(struct rsd_same *s, const struct rsd_trace *a, const struct rsd_trace *b,
	int rank, int thread);

#endif
