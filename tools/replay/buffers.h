/*
 * buffers.h - memory that replayed calls read and write, and scratch for their arrays
 *
 * All sends of a thread share one buffer, all receives another, and what MPI keeps a third: what is in
 * them means nothing, but one call must not read what it writes. They grow to the largest call, by new mappings; older ones stay, as
 * requests and windows may still be using them. Scratch is taken for the arrays of one
 * call; where the call makes a request it goes with the request.
 */
#ifndef RSD_BUFFERS_H
#define RSD_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

struct rsd_map_block { /* a mapping */
	struct rsd_map_block *next;
	size_t len;
};

struct rsd_arena {
	char *base;
	size_t len;
	struct rsd_map_block *blocks; /* all there ever were */
};

enum rsd_arena_use {
	RSD_ARENA_SEND,
	RSD_ARENA_RECV,
	RSD_ARENA_KEPT,
	/* where the program's buffer was MPI_BOTTOM */
	RSD_ARENA_BOTTOM_SEND,
	RSD_ARENA_BOTTOM_RECV,
	RSD_ARENA_BOTTOM_KEPT,
	RSD_NR_ARENAS
};

struct rsd_buffers {
	struct rsd_arena arena[RSD_NR_ARENAS];
	struct rsd_map_block *own; /* that MPI was given for itself */
	uint64_t mapped;	   /* bytes */
};
void rsd_buffers_release(struct rsd_buffers *b);
/* len bytes, zeroed where never written; NULL where there is no memory. */
void *rsd_buffers_own(struct rsd_buffers *b, size_t len);
/* Gives such memory back. */
void rsd_buffers_disown(struct rsd_buffers *b, void *p);
/* At least len bytes. *grown: they are at another address than before. */
char *rsd_buffers_shared(struct rsd_buffers *b, enum rsd_arena_use use, size_t len, int *grown);

struct rsd_scratch_block {
	struct rsd_scratch_block *next;
	size_t len, used;
};
struct rsd_scratch {
	struct rsd_scratch_block *now;	/* of the present call; newest first */
	struct rsd_scratch_block *free; /* to be used again */
};
void rsd_scratch_release(struct rsd_scratch *s);
void *rsd_scratch_take(struct rsd_scratch *s, size_t len); /* aligned; NULL: no memory */
/* The call is over: what it took may be used again. */
void rsd_scratch_reset(struct rsd_scratch *s);
/* What the call took is kept until it is given back. NULL: nothing. */
struct rsd_scratch_block *rsd_scratch_keep(struct rsd_scratch *s);
void rsd_scratch_give_back(struct rsd_scratch *s, struct rsd_scratch_block *kept);

#endif
