/*
 * radix_tree.h - who merges with whom: a binomial tree over ranks, rooted at 0
 *
 *	0 -- 1          rank r has the children r+1, r+2, r+4, ... as far as
 *	|`-- 2 -- 3     the added bit lies below r's lowest set bit; the
 *	 `-- 4 -- 5     subtree of child r+2^k is the ranks r+2^k .. r+2^(k+1)-1
 *	     |
 *	      `-- 6 -- 7
 *
 * Taking the children in this order, what a rank has merged so far is always a
 * contiguous range of ranks, and what comes next lies above it.
 */
#ifndef RSD_RADIX_TREE_H
#define RSD_RADIX_TREE_H

#define RSD_RADIX_MAX 31 /* children a rank can have at most */

/* -1 for the root. */
int rsd_radix_parent(int rank);
/* The k-th child (from 0) in a world of 'nprocs', or -1: no more. */
int rsd_radix_child(int rank, int nprocs, int k);
/* Past the last rank of the subtree rooted at 'rank'. */
int rsd_radix_end(int rank, int nprocs);

#endif
