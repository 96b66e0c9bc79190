/*
 * player.h - the state of a replay: of the process, and of each of its threads
 *
 *	rsd_replay	the trace, how its tables map to this MPI's, handles by slot	shared, under 'lock'
 *	rsd_play	a walk, the arguments of its present call, requests, buffers	one a thread
 *
 * A thread of the trace is played by a thread of its own, straight from the
 * compressed trace: memory depends on the size of the trace, on how many requests are live, on
 * the largest message, on the most calls that callbacks made in one call, and on neighbours of graphs (both to a bound: callbacks.h, graphs.c), but not
 * on the number of calls.
 */
#ifndef RSD_PLAYER_H
#define RSD_PLAYER_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include "buffers.h"
#include "callbacks.h"
#include "graphs.h"
#include "guide.h"
#include "handles.h"
#include "order.h"
#include "play.h"
#include "report.h"
#include "requests.h"
#include "scout.h"
#include "walk.h"

/* How a function of the trace is played here. */
struct rsd_play_func {
	int func;			 /* in rsd_funcs */
	int (*call)(struct rsd_play *p); /* NULL: it can't be played */
	int *param;			 /* by place here: index of the trace's parameter, or -1 */
};

struct rsd_replay_options {
	double scale;	     /* of computation between calls; 0: none */
	bool sleep;	     /* sleep through it instead of being busy */
	double timeout;	     /* seconds that a call may take; 0: any time */
	const char *scratch; /* folder for files, or NULL */
	bool quiet;
};

struct rsd_replay {
	const struct rsd_trace *trace;
	struct rsd_replay_options opt;
	int rank, nprocs;
	double room; /* receives take so many times what they took: sizes may be drawn; 1: they are exact */
	struct rsd_play_func *func; /* by the trace's function index */
	int64_t *constant;	    /* value by the trace's constant index */
	int *sig;		    /* the tracer's signature by the trace's; NULL: not recorded */
	const struct rsd_guide *guide; /* or NULL */
	pthread_mutex_t lock;
	pthread_cond_t
		changed; /* a handle was made, MPI has started, a thread waits or has ended */
	struct rsd_handles handles;
	struct rsd_map
		errors; /* classes and codes that were added, the trace's -> here. Under the lock */
	pthread_mutex_t tables;	    /* of requests (requests.h) */
	_Atomic int await_requests; /* so many threads wait for another one's request to be made */
	struct rsd_play *play;	    /* by thread, ascending in number */
	size_t nr_plays;
	struct rsd_play *
		*live; /* those that have begun and not ended, the main one too. Under the lock */
	size_t nr_live;
	struct rsd_play *done;	      /* ended ones whose buffers are to be had. Under the lock */
	void *(*play_thread)(void *); /* what a thread does */
	struct rsd_turns turns;
	bool joining; /* the main thread makes no more calls before the others have ended */
	bool in_mpi, finalized;
	uint64_t skipped; /* calls that were not made, over all ranks; known at rank 0 at the end */
	bool asks_graphs; /* some rank asks for neighbours of distributed graphs */
	bool own_init;	  /* the trace begins without MPI_Init: the replay calls it */
	struct rsd_files *files; /* see files.h */
	struct rsd_report report;
};

struct rsd_arg {	  /* one parameter of the present call, as in the trace */
	int64_t head;	  /* the value, an array's length, or the constant in its place */
	const int64_t *v; /* what follows: elements of an array, of statuses */
	size_t nr;	  /* values in 'v' */
};

struct rsd_slot_range {
	int64_t min, max;
};

struct rsd_slot_uses { /* slots of a kind of handle: a range for each owner, that may reach into the next ones */
	struct rsd_slot_range *range;
	size_t nr, alloc;
	struct rsd_map by_owner; /* of 'min' -> index */
};

struct rsd_play {
	struct rsd_replay *r;
	int thread;
	pthread_t id;
	bool thread_runs;
	struct rsd_walk *walk; /* NULL: it has no calls, or has not begun, or has ended */
	struct rsd_event e;
	const struct rsd_play_func *f;
	struct rsd_arg *arg; /* by the trace's parameter index */
	sigjmp_buf *skip;    /* out of a call that can't be played; 'why' says why */
	char why[160];
	struct rsd_callbacks callbacks;
	bool armed; /* steer.h: what stands before PMPI functions may see to the one function that comes next */
	struct rsd_scratch scratch;
	struct rsd_request_table requests;
	struct rsd_buffers buffers;
	struct rsd_scout *scout;   /* NULL: no receive's sender has to be looked for ahead */
	struct rsd_graphs *graphs; /* NULL: nor an order of neighbours */
	MPI_Status status;
	int64_t freeing; /* the handle that the present call frees */
	uint64_t spare[16];
	/* Of the present call: when it began (0: none is under way); of the previous one: when it ended. */
	_Atomic uint64_t entered_ns;
	uint64_t left_ns;
	uint64_t late_ns;     /* pace.c: so much later than it should have the last pause ended */
	int64_t recorded_end; /* ns: when the previous call ended in the traced run, if known */
	struct rsd_handles
		made; /* by this thread, where there are several: slots may be one's and then another's */
	/* threads.c, under the lock: */
	size_t at_live;
	struct rsd_play *next_done;
	bool ended;
	bool waits; /* for a handle, or for another thread's request */
	int waits_group;
	int64_t waits_slot;
	const struct rsd_play *waits_maker; /* of the request; NULL: for a handle */
	int64_t waits_request;
	const struct rsd_live *
		waits_users; /* other threads' calls use this request, that it is to end; or NULL */
	const struct rsd_play
		*awaits_user; /* it waits until this one is done with what it is to free */
	bool stalls;	      /* it waits for what we don't know: nobody waits for it any more */
	bool knows_uses;
	struct rsd_slot_uses uses[RSD_NR_HANDLE_GROUPS];
	struct rsd_order order;
	_Atomic uint64_t nr_calls;
};

/* The parameter of the present call at a place; one that the trace lacks is absent. */
const struct rsd_arg *rsd_play_arg(const struct rsd_play *p, int place);
/* The place of a parameter of a function here by its name; -1. */
int rsd_play_place(int func, const char *name);
/* The parameter of the present call of this name; NULL: it has none. */
const struct rsd_arg *rsd_play_named(const struct rsd_play *p, const char *name);
/* Values as they are meant here: constants have this MPI's value. */
int64_t rsd_play_value(const struct rsd_play *p, int64_t v);
/* Gives up on the present call: it is counted under this reason and not made. */
_Noreturn void rsd_play_give_up(struct rsd_play *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Another call is the present one until it has been made, or left out, in the middle of the present one. */
void rsd_play_inner(struct rsd_play *p, const struct rsd_event *e);
/* It is not made. It is the present one from now on. */
void rsd_play_leave_out(struct rsd_play *p, const struct rsd_event *e, const char *why);
/* Did the present call fail in the traced run? */
bool rsd_play_failed(const struct rsd_play *p);
/*
 * completion.c: the present call is over, however it went. If it made a request in the traced run and did not here, names
 * of later ones count that one nevertheless.
 */
void rsd_play_end_request(struct rsd_play *p);
/* completion.c: after the call; requests that it set to null have ended. */
void rsd_play_settle_requests(struct rsd_play *p);
/* spans.c: a datatype's handle may stand for another datatype from now on. */
void rsd_play_forget_extents(struct rsd_play *p);
/* The tracer's number for a signature of the trace; -1: none. */
int rsd_play_signature(const struct rsd_play *p, int sig);
/* The player of the calling thread, or NULL: it is none of the replay's. */
struct rsd_play *rsd_play_self(void);

/*
 * Maps the trace's functions and constants to this MPI's. False after messages that
 * name what this MPI lacks.
 */
bool rsd_replay_init(
	struct rsd_replay *r, const struct rsd_trace *t, const struct rsd_replay_options *opt);
/* Plays the calls of this rank. The exit code. */
int rsd_replay_run(struct rsd_replay *r);
void rsd_replay_release(struct rsd_replay *r);
/* Around the calls of a thread: what only one that plays has. The main thread's is there from the beginning. 0 or an error. */
int rsd_replay_open(struct rsd_play *p);
void rsd_replay_close(struct rsd_play *p);
/* The player of the thread of this number, or NULL. */
struct rsd_play *rsd_replay_find(const struct rsd_replay *r, int thread);
/* MPI has been started, by a call of the trace or by us. Ends the run where it is not as promised. */
void rsd_replay_started(struct rsd_replay *r);
/* Before MPI_Finalize: other threads end, the report is made. */
void rsd_replay_finish(struct rsd_replay *r);
/* Before an end of all ranks: what was said, here or by another, goes through mpiexec, which stops reading when it hears of the end. */
void rsd_replay_be_heard(void);
/* Ends all ranks, after a message of one of them. */
void rsd_replay_abort(void);
/* "rsd-replay: rank 3: ..." on stderr, in one piece. */
void rsd_replay_say(const struct rsd_replay *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
