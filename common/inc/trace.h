/*
 * trace.h - a trace in memory: what a file holds, what messages carry, what merging joins
 *
 *	strings, constants, functions, modules and signatures, sources, objects   tables
 *	places		one per (thread, function, signature, nesting): a column per parameter, times
 *	queue		one per thread number: a tree of event places and loops
 *
 * The tree says which places a rank passes in which order; the values are taken
 * from the places' columns, the next one each time. So one place may stand at
 * several nodes, and a walk of one rank (walk.h) visits the nodes whose 'ranks' have
 * it and draws from that rank's columns.
 *
 * A trace of one rank and of 2^20 ranks are the same thing. Merging (merge.h)
 * makes one of two. A flat (dump) trace has logs (flat.h) instead of trees.
 *
 * Thread numbers: 0 is the thread that called MPI_Init, others in the order in which
 * they were made, as far as that is known. What a thread calls once its rank's trace has been handed over (from callbacks
 * inside MPI_Finalize, and after it) is recorded as thread RSD_AFTER + number; a walk of
 * the thread goes on with it. A thread whose calls do not fold is recorded in parts:
 * RSD_PART + number, 2 RSD_PART + number ..., and at last number, which a walk takes in this order. (The last
 * one is what ranks merge; the others are on disk by then.)
 */
#ifndef RSD_TRACE_H
#define RSD_TRACE_H

#include "ScalarParam.h"
#include "buf.h"
#include "histogram.h"
#include "opstruct.h"
#include "params.h"
#include "source_table.h"
#include "stack_sig.h"

struct rsd_string {
	char *s;
	size_t len;
}; /* bytes, not necessarily UTF-8; 0-terminated in memory */

struct rsd_strings { /* interned strings; id = index */
	struct rsd_string *str;
	size_t nr, alloc;
	struct rsd_map by_hash;
};
void rsd_strings_release(struct rsd_strings *t);
int rsd_strings_intern(struct rsd_strings *t, const char *s, size_t len); /* id or RSD_ERR_NOMEM */

enum rsd_object_kind {
	RSD_O_COMM,
	RSD_O_DATATYPE,
	RSD_O_THREAD,
	RSD_O_CLOCK,
	RSD_O_ORDER,
	RSD_NR_OBJECT_KINDS
};
/*
 * Attributes of a communicator: size of the group that peers address (the remote
 * one of an intercommunicator), own rank (in the local group), local size, 1 if an intercommunicator.
 * Of a datatype: size in bytes. A slot number is reused only for an object of
 * the same attributes, so they hold for the whole run. 'id' is the value as in
 * events: a slot, or a constant (MPI_COMM_WORLD, MPI_INT). A trace's objects are sorted by (kind, id).
 *
 * Where every call's times are kept: of a thread (id: its number) when its times begin, in ns of its host's
 * clock; of the clock, at the start (id 0) and at the end (id 1), when it was compared with rank 0's, what is to be added to get that, and
 * how far that may be off.
 *
 * Of the order of a thread (id: its number, not 0), counts of thread 0's events: 'from', how many had ended when the thread
 * made its first call; 'until', how many had begun when it ended (RSD_ABSENT: it did not, as far as is known).
 */
#define RSD_OBJECT_ATTRS 4
struct rsd_object {
	uint8_t kind;
	int64_t id;
	struct rsd_params attr[RSD_OBJECT_ATTRS]; /* one value per rank; unused ones are empty */
};
int rsd_object_nr_attrs(
	enum rsd_object_kind kind); /* COMM 4, DATATYPE 1, THREAD 1, CLOCK 3, ORDER 2 */
/* The rank's values, one for each attribute; it must have none yet, and no rank above it. 0 or RSD_ERR_NOMEM. */
int rsd_object_set(struct rsd_object *o, int rank, const int64_t *value);

struct rsd_timing { /* of all calls at a place, all ranks; ns */
	struct rsd_histogram dur,
		before;			/* duration; time since the thread's previous call ended */
	struct rsd_histogram dur_first; /* the first call at this place, apart */
};

struct rsd_place {
	int thread;
	int func, sig, nested;
	struct rsd_params *col;	    /* rsd_func_columns(func) of them */
	struct rsd_scalars scalars; /* histogram mode: what references in columns refer to */
	bool has_timing, has_times;
	struct rsd_timing timing;
	struct rsd_params before_ns, dur_ns; /* RECORD_TIME=full: each call's, in order */
};

struct rsd_node {
	struct rsd_node *next, *prev;
	struct rsd_node *parent; /* the loop it is in, or NULL */
	struct rsd_ranks
		*ranks; /* participants, owned; NULL: all those of the parent (of the trace) */
	int place;	/* event: index of the place; -1: a loop */
	struct rsd_node *first, *last; /* loop: the body */
	struct rsd_params count;       /* loop: iterations of each entry */
	struct rsd_scalars scalars;    /* loop: histogram mode, as a place's, of column 0 */
	uint64_t shape; /* scratch of merging: hash of the structure; 0 elsewhere, not stored */
};

struct rsd_tree {
	int thread;
	struct rsd_node *first, *last;
};

#define RSD_AFTER (1 << 20)
_Static_assert(
	RSD_AFTER == RSD_FOREIGN_OWNERS, "names of requests have room for all numbers of threads");
#define RSD_PART (1 << 21)
#define RSD_MAX_PARTS (1 << 10)
static inline int rsd_thread_number(int thread)
{
	return thread % RSD_AFTER;
}
static inline bool rsd_thread_is_after(int thread)
{
	return thread & RSD_AFTER;
}
static inline int rsd_thread_part(int thread)
{
	return thread / RSD_PART;
}

struct rsd_log { /* a flat log, see flat.h; its places and strings are the trace's */
	int rank, thread;
	struct rsd_buf bytes;
	size_t next;  /* index: the thread's next log; of the last one: the first */
	size_t other; /* of a thread's first log: that of another thread of the rank, or SIZE_MAX */
};

struct rsd_meta { /* "key value" lines of the header: program, mpi, level, window, host, ... */
	char *key, *value;
};

struct rsd_trace {
	int nprocs;
	struct rsd_ranks ranks; /* whose calls are in it */
	bool complete;		/* every rank in it reached MPI_Finalize with nothing lost */
	char *incomplete_why;	/* or NULL */
	char *path;   /* of the file it was read from, as the reader was told it; or NULL */
	bool drawn;   /* references were replaced (ScalarParam.h): not to be written */
	bool foreign; /* logs that are on disk already name requests of other threads */
	struct rsd_meta *meta;
	size_t nr_meta, alloc_meta;
	struct rsd_strings strings;
	char **constant; /* names by index; NULL: not used. constant[0] is "absent" */
	size_t nr_constants;
	struct rsd_func *func; /* owned, with names and parameters */
	size_t nr_funcs, alloc_funcs;
	struct rsd_map func_by_hash;
	struct rsd_sigs sigs;
	struct rsd_source_table sources; /* what rsd resolve found; not sent in messages */
	struct rsd_object *object;
	size_t nr_objects, alloc_objects;
	struct rsd_place *place;
	size_t nr_places, alloc_places;
	struct rsd_map place_by_key;
	struct rsd_tree *tree;
	size_t nr_trees, alloc_trees;
	struct rsd_log *log; /* only rsd_trace_log() and rsd_trace_add_log() add to them */
	size_t nr_logs, alloc_logs;
	struct rsd_map
		log_by_key; /* by rank and thread: the last log; by rank: where 'other' begins */
};

struct rsd_trace *rsd_trace_new(int nprocs);
void rsd_trace_free(struct rsd_trace *t);
int rsd_trace_set_meta(
	struct rsd_trace *t, const char *key, const char *value);	    /* adds or replaces */
const char *rsd_trace_get_meta(const struct rsd_trace *t, const char *key); /* or NULL */
/* Objects that versions before these did not have: when threads began, clocks, the order of threads. */
bool rsd_trace_has_late_objects(const struct rsd_trace *t);
/* Does any place keep each call's times? Those of logs are beside. */
bool rsd_trace_has_times(const struct rsd_trace *t);
/*
 * Are requests of other threads named in it (rsd_foreign)? Versions before took such a number for a distance. And in
 * a call of 'f', with these values?
 */
bool rsd_trace_has_foreign(const struct rsd_trace *t);
bool rsd_call_has_foreign(const struct rsd_func *f, const int64_t *val, size_t nr);
/*
 * Cuts the statistics of times to what the clock can tell (rsd_histogram_round), but of places that keep each
 * call's times: for a trace that is complete, as sums of sums that were cut would be less exact.
 */
void rsd_trace_round_times(struct rsd_trace *t);
/* Ids (>= 0), found or added by content, or an error. */
int rsd_trace_func(struct rsd_trace *t, const struct rsd_func *f); /* copies it */
int rsd_trace_place(struct rsd_trace *t, int thread, int func, int sig, int nested);
int rsd_trace_set_constant(struct rsd_trace *t, int index, const char *name);
/* Is the value that named constant, "MPI_ROOT"? */
bool rsd_trace_is_constant(const struct rsd_trace *t, int64_t v, const char *name);
/* Pointers to objects and trees hold until the next one is added. */
struct rsd_object *rsd_trace_find_object(
	const struct rsd_trace *t, enum rsd_object_kind kind, int64_t id);
struct rsd_object *rsd_trace_add_object(
	struct rsd_trace *t, enum rsd_object_kind kind, int64_t id); /* or the one there is */
void rsd_trace_forget_objects(struct rsd_trace *t);
struct rsd_tree *rsd_trace_tree(
	struct rsd_trace *t, int thread); /* found or added; NULL: no memory */
const struct rsd_tree *rsd_trace_find_tree(const struct rsd_trace *t, int thread); /* or NULL */
/*
 * A thread has one log or several, which a walk reads one behind the other. Pointers hold until
 * the next one is added; NULL: no memory, or there is none.
 */
struct rsd_log *rsd_trace_log(struct rsd_trace *t, int rank, int thread); /* the last, or added */
struct rsd_log *rsd_trace_add_log(struct rsd_trace *t, int rank, int thread); /* one more */
const struct rsd_log *rsd_trace_first_log(const struct rsd_trace *t, int rank, int thread);
const struct rsd_log *rsd_trace_next_log(const struct rsd_trace *t, const struct rsd_log *l);
/* First logs of the rank's threads, in no order: NULL begins, then the one before. */
const struct rsd_log *rsd_trace_other_thread(
	const struct rsd_trace *t, int rank, const struct rsd_log *l);

/* The first column of parameter 'param' of the place's function, in p->col; of nr_params: the error's. */
const struct rsd_params *rsd_place_columns(
	const struct rsd_trace *t, const struct rsd_place *p, int param);

/* Who takes part in 'n': its own set, or that of the innermost loop around it that has one; NULL: all of the trace. */
const struct rsd_ranks *rsd_node_ranks(const struct rsd_trace *t, const struct rsd_node *n);
struct rsd_node *rsd_node_new(int place); /* an event, or (-1) a loop */
void rsd_node_free(struct rsd_node *n);	  /* with its body; unlinked before */
void rsd_node_append(
	struct rsd_tree *tree, struct rsd_node *parent, struct rsd_node *n); /* takes n */
/* The node that follows: into a body, and out of it at its end, but not out of 'top' (NULL: the tree). NULL: the end. */
struct rsd_node *rsd_node_after(const struct rsd_node *n, const struct rsd_node *top);

#endif
