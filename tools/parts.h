/*
 * parts.h - parts of rsd that take a library which is not everywhere
 *
 * Where make finds none (scripts/find-library) rsd is built without the part: what stands for it then is in
 * tools/absent, and says so.
 */
#ifndef RSD_PARTS_H
#define RSD_PARTS_H

#include "buf.h"

enum rsd_part { RSD_PART_OTF2, RSD_PART_REPORT, RSD_PART_SOURCE, RSD_NR_PARTS };

/* Says that this rsd is without 'part', what it lacks for it, and where that is to be had; returns RSD_EXIT_ERROR. */
int rsd_part_absent(enum rsd_part part);
/* Appends what it lacks for 'part', for a message. */
void rsd_part_put_lack(enum rsd_part part, struct rsd_buf *out);
/* Appends a line for each absent part; nothing where all are here. */
void rsd_parts_put_absent(struct rsd_buf *out);

#endif
