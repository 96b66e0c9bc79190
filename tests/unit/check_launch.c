/* check_launch.c - what launchers say, and which of it says that MPI has made something else of it */
#include "launch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

/* "NAME=VALUE", ended by NULL. */
static const char *get(const char *name, void *arg)
{
	size_t len = strlen(name);

	for (const char *const *v = arg; *v; v++)
		if (!strncmp(*v, name, len) && (*v)[len] == '=')
			return *v + len + 1;
	return NULL;
}

static const struct {
	const char *variables[6];
	int rank, nprocs, local;
	const char *differs_from_1;
} place[] = {
	{ { NULL }, 0, 1, 0, NULL },
	{ { "PMI_RANK=2", "PMI_SIZE=4", "MPI_LOCALRANKID=1" }, 2, 4, 1, "PMI_SIZE" },
	{ { "OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_RANK=0" }, 0, 3, -1,
		"OMPI_COMM_WORLD_SIZE" },
	{ { "PMI_RANK=0", "PMI_SIZE=1" }, 0, 1, -1, NULL },
	/* srun, and then a batch script, and a shell by srun --pty. */
	{ { "SLURM_PROCID=1", "SLURM_NTASKS=4", "SLURM_STEP_NUM_TASKS=4", "SLURM_LOCALID=0" }, 1, 4,
		0, "SLURM_STEP_NUM_TASKS" },
	{ { "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_JOB_ID=17" }, 0, 1, 0, NULL },
	{ { "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_STEP_NUM_TASKS=1" }, 0, 1, -1, NULL },
	/* One launcher inside a process of another's. */
	{ { "PMI_RANK=2", "PMI_SIZE=4", "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1" }, 2, 4,
		-1, NULL },
	{ { "PMI_RANK=2", "PMI_SIZE=4", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2" }, 2, 4, -1,
		"PMI_SIZE" },
	/* srun --mpi=pmi2: Slurm tells what PMI does not; of another level's it is not the same. */
	{ { "PMI_RANK=2", "PMI_SIZE=4", "SLURM_PROCID=2", "SLURM_STEP_NUM_TASKS=4",
		  "SLURM_LOCALID=1" },
		2, 4, 1, "PMI_SIZE" },
	{ { "PMI_RANK=2", "PMI_SIZE=4", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=4",
		  "SLURM_LOCALID=1" },
		2, 4, -1, "PMI_SIZE" },
	{ { "PMI_RANK=1", "PMI_SIZE=2", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=4",
		  "SLURM_LOCALID=1" },
		1, 2, -1, "PMI_SIZE" },
	{ { "PMI_RANK=2", "PMI_SIZE=4", "SLURM_LOCALID=1" }, 2, 4, -1, "PMI_SIZE" },
	/* What makes no sense. */
	{ { "PMI_RANK=4", "PMI_SIZE=4" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=1" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=", "PMI_SIZE=4" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=-1", "PMI_SIZE=4" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=1x", "PMI_SIZE=4" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=1", "PMI_SIZE=99999999999999999999" }, 0, 1, 0, NULL },
	{ { "PMI_RANK=x", "PMI_SIZE=4", "PALS_RANKID=5", "PALS_SIZE=6" }, 5, 6, -1, "PALS_SIZE" },
};

START_TEST(the_first_launcher_tells)
{
	struct rsd_launch l = rsd_launch_place(get, (void *)place[_i].variables);

	ck_assert_int_eq(l.rank, place[_i].rank);
	ck_assert_int_eq(l.nprocs, place[_i].nprocs);
	ck_assert_int_eq(l.local, place[_i].local);
}
END_TEST

START_TEST(a_world_of_one_is_what_no_launcher_meant)
{
	struct rsd_launch l;
	bool differs = rsd_launch_differs(&l, 1, get, (void *)place[_i].variables);

	ck_assert_int_eq(differs, place[_i].differs_from_1 != NULL);
	if (differs) {
		ck_assert_str_eq(l.variable, place[_i].differs_from_1);
		ck_assert_int_eq(l.rank, place[_i].rank);
	}
}
END_TEST

static const struct {
	const char *variables[6];
	int rank, nprocs;
} guess[] = {
	{ { NULL }, 0, 1 },
	{ { "PMI_RANK=1", "PMI_SIZE=4" }, 1, 4 },
	{ { "PMI_RANK=3" }, 3, 4 },
	{ { "PMIX_RANK=3" }, 3, 4 },
	{ { "OMPI_COMM_WORLD_RANK=2", "PMIX_RANK=3" }, 2, 3 },
	{ { "SLURM_PROCID=2", "SLURM_NTASKS=4" }, 2, 3 },
	{ { "PMIX_RANK=1", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2" }, 1, 2 },
	{ { "PMI_RANK=x", "PMIX_RANK=-1" }, 0, 1 },
	{ { "PMI_RANK=2147483647" }, 0, 1 },
};

START_TEST(a_rank_alone_is_one_all_the_same)
{
	struct rsd_launch l = rsd_launch_guess(get, (void *)guess[_i].variables);

	ck_assert_int_eq(l.rank, guess[_i].rank);
	ck_assert_int_eq(l.nprocs, guess[_i].nprocs);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("launch");
	TCase *tc = tcase_create("launch");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, the_first_launcher_tells, 0, RSD_ARRAY_SIZE(place));
	tcase_add_loop_test(tc, a_world_of_one_is_what_no_launcher_meant, 0, RSD_ARRAY_SIZE(place));
	tcase_add_loop_test(tc, a_rank_alone_is_one_all_the_same, 0, RSD_ARRAY_SIZE(guess));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
