/*
 * options.h - where the options come from: record.in and the environment, of rank 0, for all
 *
 * Before MPI_Init only the environment counts (it has all options that
 * concern single events); MPI_Init reads everything on rank 0 and hands it on, so that a
 * record.in that one rank can see is enough, and all agree.
 */
#ifndef RSD_OPTIONS_H
#define RSD_OPTIONS_H

#include <stdbool.h>
#include "config.h"

/* The environment, as config.h and launch.h ask for it. */
const char *rsd_options_variable(const char *name, void *unused);
/* At the very first call. 0 or RSD_ERR_NOMEM. */
int rsd_options_early(void);
/* Before PMPI_Init: remembers the umask. (The directory is the one that the process started in.) */
void rsd_options_before_init(void);
/* After PMPI_Init, collective over all ranks. Ends the program (PMPI_Abort) where something is malformed. */
void rsd_options_init(void);
/* Where the option in force was set, for messages: "record.in:3", "RECORD_REQUESTS", "default". */
void rsd_options_origin(enum rsd_option o, struct rsd_buf *out);
/* Where ranks can't agree (sessions only): each reads for itself. guess: rank and world size are as the launcher's variables say. */
void rsd_options_alone(bool guess);

#endif
