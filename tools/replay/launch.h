/*
 * launch.h - what the launcher says before MPI has started: rank and number of processes
 */
#ifndef RSD_LAUNCH_H
#define RSD_LAUNCH_H

/* From the launcher's variables (PMI, PMIx, Open MPI, MVAPICH, Slurm). A process started by itself is rank 0 of 1. */
void rsd_launch_place(int *rank, int *nprocs);

#endif
