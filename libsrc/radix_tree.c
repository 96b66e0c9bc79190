#include <stdint.h>

#include "radix_tree.h"

int rsd_radix_parent(int rank)
{
	return rank > 0 ? rank & (rank - 1) : -1;
}

int rsd_radix_child(int rank, int nprocs, int k)
{
	int64_t bit = (int64_t)1 << k;

	if (k < 0 || k >= RSD_RADIX_MAX || (rank > 0 && bit >= (rank & -rank)))
		return -1;
	return rank + bit < nprocs ? (int)(rank + bit) : -1;
}

int rsd_radix_end(int rank, int nprocs)
{
	int64_t end = rank > 0 ? (int64_t)rank + (rank & -rank) : nprocs;

	return end < nprocs ? (int)end : nprocs;
}
