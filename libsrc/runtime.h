/*
 * runtime.h - the one state of the tracer in a process, and of each of its threads
 *
 * The state exists from the first recorded call on, without MPI. What threads
 * share (strings, signatures, handles) is under one lock, which is only taken
 * while the process has more than one thread, and may be taken again inside. No MPI function is called under it:
 * MPI may call back into the application, and so into us.
 *
 * On trouble the tracer says so once, keeps what it has, marks the trace
 * incomplete and lets the program go on.
 */
#ifndef RSD_RUNTIME_H
#define RSD_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "call.h"
#include "config.h"
#include "flat.h"
#include "handle.h"
#include "parts.h"
#include "ranks.h"
#include "req_handler.h"
#include "stream.h"
#include "transfer.h"
#include "unwinder.h"

enum rsd_phase {
	RSD_BEFORE, /* MPI_Init has not returned yet */
	RSD_RUNNING,
	RSD_HANDED_OVER, /* the trace was written; what comes now is recorded apart */
	RSD_OVER	 /* the process ends, or is a forked child: nothing is recorded */
};

struct rsd_saved {  /* a handle as it was before the call */
	int kind;   /* enum rsd_constant_group */
	int64_t id; /* what is put */
	int64_t value;
	uint64_t serial; /* of the slot's holder */
};

struct rsd_open {		    /* a wrapper that is inside MPI */
	const void *frame, *caller; /* its frame and return addresses */
	struct rsd_marks start;	    /* where in the thread's stacks its own begin */
	MPI_Status *many;	    /* struct rsd_call's */
	struct rsd_way *way; /* Fortran: by which it comes to C's wrapper; NULL: it does not */
	bool passed; /* and has done so; C's wrapper had 'behind_frame' and 'behind_caller' then */
	int func;    /* for where.h; read by other threads */
	const void *behind_frame, *behind_caller; /* only set where it has passed */
};

#define RSD_NOT_ENDED UINT64_MAX /* of 'until': the thread may still be there */

/* What every call looks at comes first. */
struct rsd_thread {
	int *error; /* its errno */
	union {
		struct {
			bool inside;  /* the tracer itself is at work */
			bool stopped; /* records nothing more: no memory */
			bool guided; /* a replay has said where the next call is from: 'site' (guide.h) */
			bool unused; /* in the place of padding */
			int depth; /* wrappers that are inside MPI, at most RSD_TRACE_MAX_NESTED */
		};
		uint64_t busy; /* all of these; 0 mostly */
	};
	int64_t *val,
		*val_end; /* value vector of the call that ends; up to where it may grow without asking */
	struct rsd_marks fill;
	uint64_t end;	/* of the previous call, in ticks */
	uint64_t begin; /* where its times begin: 'end' of before its first call */
	uint64_t nr_events;
	struct rsd_weight weight; /* of the stream */
	size_t alloc_val;
	bool numbered; /* by a replay (guide.h) */
	bool waiting;  /* for other ranks, or while the others are held: it touches nothing */
	bool status_lent;
	struct rsd_offset *offset; /* requests as they were before the calls that are in progress */
	size_t alloc_offsets;
	uint64_t nr_requests; /* head of the request table (req_handler.h) */
	struct rsd_requests requests;
	struct rsd_saved *saved;
	size_t alloc_saved;
	MPI_Status *status; /* handed to PMPI instead of MPI_STATUSES_IGNORE */
	size_t nr_status;
	int site;
	int left_out; /* so many of 'open', from the first on, are not recorded */
	int number;   /* in the trace */
	/* order.h: events that have left the stream, and what its order is */
	uint64_t nr_gone, from, until;
	struct rsd_unwinder unwinder;
	struct rsd_stream stream;			 /* folded; dump uses its places only */
	struct rsd_known known[RSD_NR_KINDS][RSD_KNOWN]; /* handles (handle.h) */
	struct rsd_buf log; /* flat: dump's events, or what the self-check compares with */
	uintptr_t stack_lo, stack_hi; /* its own stack (nesting.c); 0: not looked up yet */
	rlim_t stack_limit;	      /* RLIMIT_STACK when it was */
	struct rsd_thread *next;
	struct rsd_open open[RSD_TRACE_MAX_NESTED]; /* wrappers inside MPI, outermost first */
};

_Static_assert(
	offsetof(struct rsd_thread, depth) == offsetof(struct rsd_thread, unused) + sizeof(bool) &&
		offsetof(struct rsd_thread, depth) + sizeof(int) ==
			offsetof(struct rsd_thread, busy) + sizeof(uint64_t),
	"'busy' has all of what it stands for, and nothing else");

enum {			 /* about a function */
	RSD_WANTED = 1,	 /* it is recorded */
	RSD_SPECIAL = 2, /* that it was called matters by itself */
	RSD_OF_C = 4,	 /* there is none in Fortran: calls of MPI's Fortran layer are its own */
};

enum rsd_shut { /* why a call needs more than to be recorded, or less; looked at together */
	RSD_SHUT_OUTSIDE = 1, /* neither MPI_Init nor MPI_Session_init has succeeded */
	RSD_SHUT_HELD = 2,    /* threads wait at their next call's begin or end (checkpoint.h) */
	RSD_SHUT_PAUSED = 4,  /* MPI_Pcontrol(0) */
	RSD_SHUT_OVER = 8,    /* the phase is RSD_OVER */
};

struct rsd_runtime {
	pthread_mutex_t lock;
	enum rsd_phase phase;
	unsigned
		shut; /* enum rsd_shut, of all that hold; 0 nearly always. Changed by rsd_shut and rsd_unshut */
	bool written; /* the trace is where it should be: it may be appended to */
	pid_t pid;
	int rank, nprocs;
	struct rsd_config config;
	char *path; /* absolute; a rank's own file where the level has one a rank */
	char *program, *library, *date;
	bool alone; /* the options and the date are this rank's own: there was no MPI_Init in which to agree */
	mode_t mask; /* the program's umask at MPI_Init */
	bool in_turn; /* no two threads may call MPI at a time: its thread level says so, and there are no sessions */
	bool sessions;	 /* MPI_Session_init has succeeded */
	bool all;	 /* RECORD_CALLS=all */
	bool aligns;	 /* all ranks agree in MPI_Init that every call's times are kept (sync.h) */
	bool cancels;	 /* MPI_Cancel was called: statuses may be undefined */
	uint8_t *wanted; /* by function: RSD_WANTED, RSD_SPECIAL, RSD_OF_C */
	int func_session_init, func_cancel, func_finalize;
	struct rsd_strings strings;
	struct rsd_sigs sigs;
	struct rsd_parts parts;
	struct rsd_thread *threads, *last; /* never removed; in order of their first call */
	const char *incomplete;		   /* why the trace is not complete, or NULL */
};
extern struct rsd_runtime rsd_rt RSD_HIDDEN;
static inline bool rsd_is_shut(int why)
{
	return (__atomic_load_n(&rsd_rt.shut, __ATOMIC_ACQUIRE) & (unsigned)why) != 0;
}
static inline void rsd_shut(enum rsd_shut why)
{
	__atomic_or_fetch(&rsd_rt.shut, (unsigned)why, __ATOMIC_SEQ_CST);
}
static inline void rsd_unshut(enum rsd_shut why)
{
	__atomic_and_fetch(&rsd_rt.shut, ~(unsigned)why, __ATOMIC_SEQ_CST);
}
/* Nothing is recorded any more. */
static inline void rsd_over(void)
{
	rsd_rt.phase = RSD_OVER;
	rsd_shut(RSD_SHUT_OVER);
}

extern RSD_HIDDEN RSD_PER_THREAD struct rsd_thread *rsd_self; /* NULL before its first call */
struct rsd_thread *rsd_thread_first_call(void);
/* The calling thread's state, made at its first call; NULL: nothing is to be recorded. errno stays as it is. */
static inline struct rsd_thread *rsd_thread_self(void)
{
	if (rsd_rt.phase == RSD_OVER)
		return NULL;
	return rsd_self ? rsd_self : rsd_thread_first_call();
}
/* Those that there are, without the lock. */
static inline struct rsd_thread *rsd_thread_first(void)
{
	return __atomic_load_n(&rsd_rt.threads, __ATOMIC_ACQUIRE);
}
static inline struct rsd_thread *rsd_thread_next(const struct rsd_thread *t)
{
	return __atomic_load_n(&t->next, __ATOMIC_ACQUIRE);
}
/* The thread that calls of others are counted by, number 0, or NULL. */
static inline struct rsd_thread *rsd_thread_main(void)
{
	struct rsd_thread *t = rsd_thread_first();

	while (t && t->number)
		t = rsd_thread_next(t);
	return t;
}
/* The calling thread becomes number 0: it has called MPI_Init. Unless its number has been set. */
void rsd_thread_is_main(struct rsd_thread *t);
/* The calling thread gets this number (below RSD_AFTER) for good; a thread that has it gets this one's. */
void rsd_thread_set_number(struct rsd_thread *t, int number);
/* Room for 'nr' values in all. 0 or RSD_ERR_NOMEM. */
int rsd_thread_values(struct rsd_thread *t, size_t nr);

/* Does the trace keep each call's times? */
bool rsd_keeps_all_times(void);

/* Returns what unlock has to be told: whether there was anything to lock. */
bool rsd_lock(void);
void rsd_unlock(bool locked);
bool rsd_lock_of(pthread_mutex_t *lock); /* the same of another one, which the caller unlocks */
/*
 * The same around what only those calls touch that MPI must be running for, as requests: where the
 * thread level has threads take turns, there is nothing to lock.
 */
static inline bool rsd_lock_in_turn(void)
{
	return !rsd_rt.in_turn && rsd_lock();
}

/*
 * The process ends here, by the calling thread. No other thread records any more; waits until none is at it, for
 * a tenth of a second at most, so that what they have recorded can be written.
 */
void rsd_quiet_others(void);
/* Does no other thread touch what it records just now? */
bool rsd_others_are_quiet(void);
/* In a child that has our memory, but none of our other threads: whoever held the lock is not here. */
void rsd_lock_anew(void);
/* Records nothing more of this thread, for 'err' (enum rsd_err). */
void rsd_thread_stop(struct rsd_thread *t, int err);

/*
 * The process ends, by a signal or at once: writes what there is, once, marked incomplete for this reason unless MPI_Finalize was called. The
 * calls that threads are in are added (where.h). 'is_writer': this is the child that writes for another process.
 */
void rsd_process_ends(const char *why, bool is_writer);
/*
 * The last steps of that, once no checkpoint is made any more. 'asked': as rsd_where has it; 'in_child': a child writes, if it can
 * (process_end.h).
 */
void rsd_leave_trace(const char *why, bool asked, bool in_child);

#endif
