/*
 * parts.h - what does not fold leaves memory before the end of the run
 *
 * A thread's stream that has grown beyond what RECORD_MEMORY allows becomes a part of the trace: a section of a
 * trace file, which goes to a file without a name beside the trace file, and the thread begins anew. The
 * parts are appended to the trace file once that is written. Where there is no room on the disk, they are
 * kept in memory, and this is told once: nothing is lost.
 */
#ifndef RSD_PARTS_H
#define RSD_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "buf.h"

struct rsd_so_far; /* checkpoint.h */
struct rsd_thread;

struct rsd_parts {
	int fd; /* of the file, where 'len' is not 0 */
	dev_t dev;
	ino_t ino; /* programs close what they did not open */
	uint64_t len;
	struct rsd_buf kept; /* what follows */
	bool full;	     /* the file takes no more */
};

/* How a thread knows when to look how large its stream is. */
struct rsd_weight {
	int64_t left;	 /* events, and values beyond, until then; below 1: now */
	uint64_t events; /* that were left the last time */
	size_t bytes;	 /* that the stream took then */
	int parts;	 /* of the thread that have left memory */
};

/* The thread's stream is looked at, and may leave memory. */
void rsd_parts_weigh(struct rsd_thread *t);
/* Where they are, for whoever has none of our descriptors. 0 or RSD_ERR_NOMEM. */
int rsd_parts_so_far(struct rsd_so_far *s);
/* Appends the parts to the trace file, and forgets them. 0, or an error that was reported. */
int rsd_parts_append(const char *path);

#endif
