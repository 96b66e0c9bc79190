/*
 * level.h - what makes libdump, libnode and libglob differ
 *
 * Exactly one of level_dump.c, level_node.c, level_glob.c is in an archive.
 * The runtime calls these, and wrappers rsd_call_end, which takes the events (call_end.h). Of
 * these only start and finish call MPI, and rsd_call_end for the class of an error.
 */
#ifndef RSD_LEVEL_H
#define RSD_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rsd_so_far; /* checkpoint.h */
struct rsd_trace;

extern const char rsd_level_name[];    /* "dump", "node", "glob" */
extern const bool rsd_level_is_global; /* writes one file for all ranks */
extern const bool rsd_level_is_flat;   /* keeps events one by one, and so their times */

/* After MPI_Init, once the options are known: collective where the level is. */
void rsd_level_start(void);
/* MPI_Finalize, before PMPI_Finalize: collective where the level is. Writes the trace. 0 or an error that was reported. */
int rsd_level_finish(void);
/* A trace of this rank's events since then, its threads numbered from RSD_AFTER on; or NULL, which was reported. */
struct rsd_trace *rsd_level_after(void);
/*
 * What rsd_level_rescue would write, were it now; the run goes on. Under the runtime's lock, while no thread records; by a
 * thread that has none of the process's descriptors. 0 or an error.
 */
int rsd_level_so_far(struct rsd_so_far *s, const char *why);
/*
 * The process ends without MPI_Finalize: writes what this rank has, marked incomplete with 'why';
 * NULL: all is as it should be, there were sessions only. Calls no MPI.
 */
void rsd_level_rescue(const char *why);

#endif
