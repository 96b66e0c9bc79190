#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "util.h"

static const struct {
	const char *rank, *nprocs, *local;
} launcher[] = {
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK" },
	{ "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID" },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID" },
};

static int number(const char *name, rsd_getenv_fn get, void *arg)
{
	const char *s = get(name, arg);
	char *end;
	long v;

	if (!s || !*s)
		return -1;
	errno = 0;
	v = strtol(s, &end, 10);
	return errno || *end || v < 0 || v > INT_MAX ? -1 : (int)v;
}

/* False: it is not there, or makes no sense. */
static bool ask_one(struct rsd_launch *l, size_t i, rsd_getenv_fn get, void *arg)
{
	l->rank = number(launcher[i].rank, get, arg);
	l->nprocs = number(launcher[i].nprocs, get, arg);
	l->local = number(launcher[i].local, get, arg);
	l->variable = launcher[i].nprocs;
	return l->rank >= 0 && l->rank < l->nprocs;
}

/*
 * Srun hands PMI_RANK and PMI_SIZE to each process, and its local rank as Slurm's. A launcher that is used inside another one's process
 * counts anew: what the other has said belongs to this one only where rank and number are the same.
 */
static int local_of_others(const struct rsd_launch *l, rsd_getenv_fn get, void *arg)
{
	struct rsd_launch other;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(launcher); i++) {
		if (ask_one(&other, i, get, arg) && other.local >= 0 && other.rank == l->rank &&
			other.nprocs == l->nprocs)
			return other.local;
	}
	return -1;
}

static bool ask(struct rsd_launch *l, size_t i, rsd_getenv_fn get, void *arg)
{
	if (!ask_one(l, i, get, arg))
		return false;
	if (l->local < 0)
		l->local = local_of_others(l, get, arg);
	return true;
}

struct rsd_launch rsd_launch_place(rsd_getenv_fn get, void *arg)
{
	struct rsd_launch l;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(launcher); i++) {
		if (ask(&l, i, get, arg))
			return l;
	}
	return (struct rsd_launch){ .rank = 0, .nprocs = 1, .local = 0 };
}

struct rsd_launch rsd_launch_guess(rsd_getenv_fn get, void *arg)
{
	struct rsd_launch l = rsd_launch_place(get, arg);
	int rank = -1;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(launcher) && !l.variable && rank < 0; i++)
		rank = number(launcher[i].rank, get, arg);
	if (!l.variable && rank < 0)
		rank = number("PMIX_RANK", get, arg);
	if (rank >= 0 && rank < INT_MAX)
		l = (struct rsd_launch){ .rank = rank, .nprocs = rank + 1, .local = -1 };
	return l;
}

bool rsd_launch_differs(struct rsd_launch *l, int nprocs, rsd_getenv_fn get, void *arg)
{
	struct rsd_launch one;

	for (size_t i = 0; i < RSD_ARRAY_SIZE(launcher); i++) {
		if (ask(&one, i, get, arg) && one.nprocs == nprocs)
			return false;
	}
	*l = rsd_launch_place(get, arg);
	return l->variable != NULL;
}
