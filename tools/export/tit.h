/* tit.h - what tit.c and tit_collectives.c share: SimGrid's actions being written */
#ifndef RSD_TIT_H
#define RSD_TIT_H

#include "export.h"
#include "timeline.h"

#define TIT_BYTE "6"	    /* SimGrid's number of MPI_BYTE */
#define TIT_TAGS 14000	    /* of point to point, times 64: its tags end at 1000000 */
#define TIT_COLL_TAG 900000 /* of collectives that became messages, from here on */

struct rsd_folder;
struct tit {
	const struct rsd_export *x;
	const struct rsd_folder *folder;
	const struct rsd_comms *comms;
	struct rsd_buf *out; /* by rank */
	int64_t *idle;	     /* by rank: time in calls that are no actions */
	struct rsd_map tags, posted;
	uint64_t in_messages, left_out;
};

void tit_put_collective(struct tit *x, const struct rsd_moment *m, const struct rsd_action *a);

#endif
