#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

static const struct {
	const char *rank, *size;
} launcher[] = {
	{ "PMI_RANK", "PMI_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
	{ "PALS_RANKID", "PALS_SIZE" },
	{ "SLURM_PROCID", "SLURM_NTASKS" },
};

static int number(const char *name)
{
	const char *s = getenv(name);
	char *end;
	long v;

	if (!s || !*s)
		return -1;
	errno = 0;
	v = strtol(s, &end, 10);
	return errno || *end || v < 0 || v > INT_MAX ? -1 : (int)v;
}

void rsd_launch_place(int *rank, int *nprocs)
{
	*rank = 0;
	*nprocs = 1;
	for (size_t i = 0; i < RSD_ARRAY_SIZE(launcher); i++) {
		int r = number(launcher[i].rank), n = number(launcher[i].size);

		if (r < 0 || n <= r)
			continue;
		*rank = r;
		*nprocs = n;
		return;
	}
}
