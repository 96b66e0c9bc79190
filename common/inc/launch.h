/*
 * launch.h - what a launcher's variables say of a process: its rank, and how many were started with it
 *
 * Works on a getenv-like function, as config.h. Only what a launcher puts into each process counts. In a batch script, one process of
 * which nobody made four, Slurm has set SLURM_NTASKS and SLURM_PROCID, too; the number of tasks of a step is not there, or 1.
 */
#ifndef RSD_LAUNCH_H
#define RSD_LAUNCH_H

#include <stdbool.h>
#include "config.h"

struct rsd_launch {
	int rank, nprocs;
	int local;	      /* its rank among those on the same host; -1: that is not told */
	const char *variable; /* that has nprocs; NULL: none has. Static */
};

/* The first that there is: PMI, Open MPI, MVAPICH, PALS, Slurm. A process that was started by itself is rank 0 of 1. */
struct rsd_launch rsd_launch_place(rsd_getenv_fn get, void *arg);
/*
 * The same, and where nobody tells a number of processes, the first rank that there is (PMIx by itself has no more): of as many as that
 * takes. For names that are to differ from process to process.
 */
struct rsd_launch rsd_launch_guess(rsd_getenv_fn get, void *arg);
/*
 * MPI says that there are 'nprocs': is that another number than the one of each launcher that there is? Inside a launcher's process another
 * one may have been used. '*l' is then the first.
 */
bool rsd_launch_differs(struct rsd_launch *l, int nprocs, rsd_getenv_fn get, void *arg);

#endif
