/*
 * checkpoint.h - RECORD_CHECKPOINT: what this rank has so far is on disk while it runs
 *
 * A thread of the tracer's own wakes up now and then, holds the threads that record (the gate below), copies what they have, lets
 * them go on, and writes the copy to FILE.<rank>, under another name first. So a rank that waits in MPI, or computes,
 * or hangs, has its checkpoints too. The thread calls no MPI function and takes no signal; it has a table of
 * descriptors and a umask of its own, so that the program's are not disturbed. No process is made: pages that a
 * network adapter writes to must not be shared with one.
 */
#ifndef RSD_CHECKPOINT_H
#define RSD_CHECKPOINT_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include "buf.h"
#include "runtime.h"

struct rsd_trace;

/* A rank's trace so far: the section of 'trace', if not NULL; 'len' bytes of the file 'name', if not NULL; 'rest'. */
struct rsd_so_far {
	struct rsd_trace *trace;
	char *name;
	dev_t dev; /* that the file has, unless 'ino' is 0 */
	ino_t ino;
	uint64_t len;
	struct rsd_buf rest;
};

/* After MPI_Init, where the option asks for it. */
void rsd_checkpoint_start(void);
/*
 * No checkpoint is written any more; waits until the one that is being written is done, or given up. May be called
 * again, and from a signal handler.
 */
void rsd_checkpoint_stop(void);
/* In a child, which has no such thread. */
void rsd_checkpoint_forget(void);
/* Removes this run's FILE.<rank>, as the merged trace has what is in it. After stop. */
void rsd_checkpoint_remove(void);

void rsd_checkpoint_wait(struct rsd_thread *t);
/*
 * Where a thread has just set 'inside', before it touches what it records. The two are not ordered for other
 * processors here; whoever holds the threads sees to it.
 */
static inline void rsd_checkpoint_gate(struct rsd_thread *t)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(rsd_is_shut(RSD_SHUT_HELD), false))
		rsd_checkpoint_wait(t);
}

/* What it has recorded can be read from now on. */
static inline void rsd_checkpoint_leave(struct rsd_thread *t)
{
	__atomic_store_n(&t->inside, false, __ATOMIC_RELEASE);
}

#endif
