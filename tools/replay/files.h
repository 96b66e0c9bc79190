/*
 * files.h - where a replay's files are: in a folder of its own, never the user's
 */
#ifndef RSD_REPLAY_FILES_H
#define RSD_REPLAY_FILES_H

#include <mpi.h>
#include <stdint.h>

struct rsd_replay;

/* After MPI_Init: the ranks agree on the folder, which rank 0 makes where the trace opens files. Collective. */
void rsd_files_start(struct rsd_replay *r);
/* Before MPI_Finalize: rank 0 deletes it, unless the user named it. Collective. */
void rsd_files_finish(struct rsd_replay *r);
/* The run is about to be ended in the middle: the folder goes, whichever rank this is. */
void rsd_files_abandon(const struct rsd_replay *r);
/* The file in that folder that stands for 'filename'; NULL: no memory. The caller frees it. */
char *rsd_files_path(const struct rsd_replay *r, const char *filename);
/*
 * Before it is opened: a file that the program did not create has to be there, and one that was not to be
 * there must not. Programs make and delete files without MPI, too. Collective over 'comm'. An MPI error code.
 */
int rsd_files_prepare(const struct rsd_replay *r, MPI_Comm comm, const char *path, int amode);
/* Makes the file, of this size, where there is none. */
void rsd_files_create(const char *path, int64_t len);

#endif
