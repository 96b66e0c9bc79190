/*
 * call.h - what generated wrappers call: begin, parameters to integers, end
 *
 * A wrapper, in this order:
 *
 *	struct rsd_call c;
 *	if (!rsd_call_begin(&c, FUNC))		not recorded: only the PMPI call
 *		return PMPI_Xxx(...);
 *	rsd_pre_...(&c, ...)			what must be seen before the call:
 *						requests and handles that the call frees or replaces
 *	rsd_put_...(&c, ...)			the values of what the call changes, as they are
 *	rsd_call_enter(&c);			clock; from here the MPI library runs
 *						(rsd_call_start is begin and enter, with nothing between)
 *	rsd_entry_passes(&c, &way);		(in some of Fortran's entry points, see below)
 *	ret = PMPI_Xxx(...);
 *	rsd_call_leave(&c, ret);		clock
 *	rsd_put_...(&c, ...)			every parameter, in the standard's order; those that are
 *						one value each, and need no more than a look, by
 *	room = rsd_room(&c, N)			room for N of them: room[i] = rsd_value_...(&c, ...)
 *	rsd_call_end(&c);			to the level; error class appended
 *	return ret;
 *
 * MPI types end here: beyond this file values are integers as opstruct.h lays
 * them out. No function here calls MPI_*, changes errno, or lets an error out:
 * on trouble recording of this thread stops, with one message.
 */
#ifndef RSD_CALL_H
#define RSD_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "opstruct.h"
#include "optable.h"

struct rsd_thread;

/* How far a thread's stacks are filled: of values, of saved handles, of requests. */
struct rsd_marks {
	uint32_t val, saved, req;
};

/* Ordered so that what is set together is together. */
struct rsd_call {
	struct rsd_thread *t;
	int func; /* index into rsd_funcs[] (generated) */
	int sig, nested;
	int ret;
	bool results; /* set by leave: result parameters are defined (success, or an error in the statuses only) */
	bool recorded; /* false: handles are followed, but no event is made (MPI_Pcontrol(0)) */
	bool special;  /* leave has something to do for this function */
	bool usual;    /* recorded and not special */
	int saved_errno;
	/* where in t's stacks this call's own begin, and */
	struct rsd_marks start;
	uint32_t put; /* how far the values go while the MPI library runs, and may move the stack */
	uint32_t taken;	  /* saved handles that were put */
	uint32_t nr_req;  /* its requests */
	MPI_Status *many; /* handed to PMPI where the program ignores an array of statuses */
	uint64_t t0, t1;  /* ticks (clock.h); 0 without times */
	int64_t *at,
		*end; /* where the next value goes; NULL: there were none yet, or nothing is recorded */
	MPI_Status one; /* the same for a single one */
	const void *caller,
		*frame; /* between begin and enter: the wrapper's return address, and frame address */
};

/*
 * True where the call is to be followed. Takes the stack signature. False inside the tracer or
 * the MPI library. A macro, as it has to see the wrapper's own frame and who called it.
 */
#define rsd_call_begin(c, func)                                                                    \
	rsd_call_begin_at((c), (func), __builtin_return_address(0), __builtin_frame_address(0))
bool rsd_call_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame);
void rsd_call_enter(struct rsd_call *c);
/* Both, where there is nothing between them. */
#define rsd_call_start(c, func)                                                                    \
	rsd_call_start_at((c), (func), __builtin_return_address(0), __builtin_frame_address(0))
bool rsd_call_start_at(struct rsd_call *c, int func, const void *caller, const void *frame);
/*
 * The same in a Fortran entry point. Behind one, the library's routine may call C's function, and so C's wrapper, which is
 * the same call then. rsd_entry_passes says so, right before the library's routine is called, with a 'way' of that entry point's
 * own, which lives as long as the program: C's wrapper is not recorded once, if the call comes from there.
 */
struct rsd_way {
	int func;
	const void *
		caller; /* the return address of C's wrapper when it came this way; NULL: it has not yet */
	uintptr_t below; /* and how far its frame was below the entry point's */
};
#define rsd_entry_begin(c, func)                                                                   \
	rsd_entry_begin_at((c), (func), __builtin_return_address(0), __builtin_frame_address(0))
bool rsd_entry_begin_at(struct rsd_call *c, int func, const void *caller, const void *frame);
#define rsd_entry_start(c, func)                                                                   \
	rsd_entry_start_at((c), (func), __builtin_return_address(0), __builtin_frame_address(0))
bool rsd_entry_start_at(struct rsd_call *c, int func, const void *caller, const void *frame);
void rsd_entry_passes(struct rsd_call *c, struct rsd_way *way);
void rsd_call_leave(struct rsd_call *c, int ret);
void rsd_call_end(struct rsd_call *c);

/* ---- plain values; those that nearly all calls have are in call_inline.h -------------- */
void rsd_put_absent(
	struct rsd_call *c); /* not significant in this call; for every type but status(es) */
void rsd_put_int(struct rsd_call *c, int64_t v); /* MPI_UNDEFINED becomes its constant */
/* A number that has a name in constant group 'group' (generated enum: thread levels, lock types ...). */
void rsd_put_named(struct rsd_call *c, int group, int64_t v);
/* A callback: constant where predefined in 'group' (copy and delete functions, all of value 0, have one each), else a slot by address. */
void rsd_put_function(struct rsd_call *c, int group, void (*fn)(void));
void rsd_put_error(struct rsd_call *c, int code); /* rsd_error_value */
/* MPI_Add_error_code has given the program a code, which is not recorded as its class. */
void rsd_error_code_added(int ret, const int *code);
void rsd_put_string(struct rsd_call *c, const char *s); /* NULL: absent */
void rsd_put_string_len(struct rsd_call *c, const char *s, size_t len);

/* ---- arrays: n < 0 or p NULL with n > 0: the array is absent; UNWEIGHTED etc. become constants ---- */
void rsd_put_ints(struct rsd_call *c, const int *p, int64_t n);
void rsd_put_logicals(struct rsd_call *c, const int *p, int64_t n); /* 1 for all but 0 */
/*
 * Addresses (from 2^32 on, of memory that exists) are no values of a trace: the first one in the
 * array becomes 0, the others count from it. So absolute displacements with MPI_BOTTOM
 * are kept as far as they mean anything in another process.
 */
void rsd_put_aints(struct rsd_call *c, const MPI_Aint *p, int64_t n);
/* The same of a single one: 0 where it is an address; otherwise as rsd_put_int. */
void rsd_put_place(struct rsd_call *c, int64_t v);
void rsd_put_counts(struct rsd_call *c, const MPI_Count *p, int64_t n);
void rsd_put_peers(struct rsd_call *c, const int *p, int64_t n);
void rsd_put_nameds(struct rsd_call *c, int group, const int *p, int64_t n);
void rsd_put_errors(struct rsd_call *c, const int *p, int64_t n);
void rsd_put_strings(struct rsd_call *c, char **p, int64_t n); /* n < 0: until NULL */
void rsd_put_argvs(struct rsd_call *c, char ***p,
	int64_t n); /* n lists one after the other, each ended by an absent string */

/* ---- handles: used -------------------------------------------------------- */
void rsd_put_comm(struct rsd_call *c, MPI_Comm h);
void rsd_put_datatype(struct rsd_call *c, MPI_Datatype h);
void rsd_put_op(struct rsd_call *c, MPI_Op h);
void rsd_put_group(struct rsd_call *c, MPI_Group h);
void rsd_put_win(struct rsd_call *c, MPI_Win h);
void rsd_put_file(struct rsd_call *c, MPI_File h);
void rsd_put_info(struct rsd_call *c, MPI_Info h);
void rsd_put_errhandler(struct rsd_call *c, MPI_Errhandler h);
void rsd_put_keyval(struct rsd_call *c, int keyval);
#if MPI_VERSION >= 4
void rsd_put_session(struct rsd_call *c, MPI_Session h);
void rsd_made_session(struct rsd_call *c, const MPI_Session *h);
void rsd_pre_session(struct rsd_call *c, const MPI_Session *h);
#endif
void rsd_put_datatypes(struct rsd_call *c, const MPI_Datatype *p, int64_t n);
void rsd_put_infos(struct rsd_call *c, const MPI_Info *p, int64_t n);

/* ---- handles: made by the call (a slot is given; NULL handle or a failed call: constant or absent).
 * A handle that is known already, as one that was asked for (get_errhandler, get_view), keeps its slot and is held once more. ---- */
void rsd_made_comm(struct rsd_call *c, const MPI_Comm *h);
void rsd_made_comm_like(struct rsd_call *c, const MPI_Comm *h,
	MPI_Comm like); /* not yet usable (idup), shaped like 'like' */
void rsd_made_datatype(struct rsd_call *c, const MPI_Datatype *h);
void rsd_made_op(struct rsd_call *c, const MPI_Op *h);
void rsd_made_group(struct rsd_call *c, const MPI_Group *h);
void rsd_made_win(struct rsd_call *c, const MPI_Win *h);
void rsd_made_file(struct rsd_call *c, const MPI_File *h);
void rsd_made_info(struct rsd_call *c, const MPI_Info *h);
void rsd_made_errhandler(struct rsd_call *c, const MPI_Errhandler *h);
void rsd_made_keyval(struct rsd_call *c, const int *keyval);
void rsd_made_datatypes(struct rsd_call *c, const MPI_Datatype *p, int64_t n);

/* ---- handles: freed or replaced by the call. pre_ saves the value and frees the slot's hold; put_freed puts it. ----
 * The pre value is popped in the order it was pushed. When the call fails the handle lives on. */
void rsd_pre_comm(struct rsd_call *c, const MPI_Comm *h);
void rsd_pre_datatype(struct rsd_call *c, const MPI_Datatype *h);
void rsd_pre_op(struct rsd_call *c, const MPI_Op *h);
void rsd_pre_group(struct rsd_call *c, const MPI_Group *h);
void rsd_pre_win(struct rsd_call *c, const MPI_Win *h);
void rsd_pre_file(struct rsd_call *c, const MPI_File *h);
void rsd_pre_info(struct rsd_call *c, const MPI_Info *h);
void rsd_pre_errhandler(struct rsd_call *c, const MPI_Errhandler *h);
void rsd_pre_keyval(struct rsd_call *c, const int *keyval);
void rsd_put_freed(struct rsd_call *c);

/* ---- requests and messages -------------------------------------------------- */
enum rsd_request_kind { /* what a status of the request can tell */
	RSD_Q_SEND,
	RSD_Q_RECV,
	RSD_Q_COLL,
	RSD_Q_OTHER,	      /* I/O, RMA */
	RSD_Q_USER,	      /* generalized: what the user's query function says */
	RSD_Q_PERSISTENT = 8, /* flag: made inactive, lives until freed */
};
/* After the call: a new request at the head of the table. source and tag: what the receive asked for, else 0. */
void rsd_made_request(struct rsd_call *c, const MPI_Request *h, int kind, int source, int tag);
/* Before a completion, start, cancel or free: saves the handles and looks their offsets up. */
void rsd_pre_requests(struct rsd_call *c, const MPI_Request *p, int64_t n);
/* Puts the saved offsets, as an array (array of n) or as the single request; requests that the call set to MPI_REQUEST_NULL leave the table. */
void rsd_put_requests(struct rsd_call *c, const MPI_Request *p, int64_t n);
void rsd_put_request(struct rsd_call *c, const MPI_Request *p);
/* A request passed by value (grequest_complete, get_status): only looked up. */
void rsd_put_request_used(struct rsd_call *c, MPI_Request h);
void rsd_made_message(struct rsd_call *c, const MPI_Message *h); /* Mprobe, Improbe with flag */
void rsd_pre_message(
	struct rsd_call *c, const MPI_Message *h); /* Mrecv, Imrecv; then rsd_put_freed */

/* ---- statuses --------------------------------------------------------------- */
/*
 * The status to hand to PMPI: the program's own, or, where it passed
 * MPI_STATUS_IGNORE and a wildcard could be matched, one of ours. 'wild' is for
 * calls that name source and tag themselves; completions ask the saved requests.
 */
MPI_Status *rsd_pre_status(struct rsd_call *c, MPI_Status *status, bool wild);
MPI_Status *rsd_pre_statuses(struct rsd_call *c, MPI_Status *statuses, int64_t n);
/*
 * Puts a status after the call. 'status' is what the program passed, 'used' what
 * rsd_pre_status returned. which: index of the saved request it belongs to, or -1 (a
 * probe or receive), -2 (empty or not significant: absent, but IGNORE is still told).
 */
void rsd_put_status(
	struct rsd_call *c, const MPI_Status *status, const MPI_Status *used, int which);
/* n statuses; which[i] (NULL: i) is the saved request that status i belongs to. */
void rsd_put_statuses(struct rsd_call *c, const MPI_Status *statuses, const MPI_Status *used,
	int64_t n, const int *which);

/* ---- facts that lengths and conditions in the spec refer to ------------------- */
int rsd_comm_size(struct rsd_call *c, MPI_Comm comm); /* local size */
int rsd_comm_peers(
	struct rsd_call *c, MPI_Comm comm); /* remote size of an intercommunicator, else size */
int rsd_comm_rank(struct rsd_call *c, MPI_Comm comm);
bool rsd_comm_is_inter(struct rsd_call *c, MPI_Comm comm);
/* Are the root's arguments significant here? On an intercommunicator: root == MPI_ROOT. */
bool rsd_at_root(struct rsd_call *c, MPI_Comm comm, int root);
/* Takes this process part with its send side? (all but MPI_PROC_NULL and MPI_ROOT on an intercommunicator) */
bool rsd_at_leaf(struct rsd_call *c, MPI_Comm comm, int root);
/* In- and out-degree of a communicator with a topology, for neighbourhood collectives. */
int rsd_in_degree(struct rsd_call *c, MPI_Comm comm);
int rsd_out_degree(struct rsd_call *c, MPI_Comm comm);

int rsd_cart_ndims(struct rsd_call *c, MPI_Comm comm); /* -1 where there is no such topology */
int rsd_graph_nodes(struct rsd_call *c, MPI_Comm comm);
int rsd_graph_edges(struct rsd_call *c, MPI_Comm comm);
int rsd_graph_degree(struct rsd_call *c, MPI_Comm comm, int rank); /* neighbours of 'rank' */
bool rsd_dist_weighted(struct rsd_call *c, MPI_Comm comm);
/* How many integers (which 0), addresses (1), large counts (2) or datatypes (3) describe a datatype. */
int64_t rsd_type_contents(struct rsd_call *c, MPI_Datatype type, int which);
static inline int64_t rsd_sum(struct rsd_call *c, const int *p, int64_t n)
{
	int64_t sum = 0;

	(void)c;
	for (int64_t i = 0; p && i < n; i++)
		sum += p[i];
	return sum;
}
static inline int64_t rsd_min(struct rsd_call *c, int64_t a, int64_t b)
{
	(void)c;
	return a < b ? a : b;
}

/* ---- special functions (wrap_special.c), called from the spec's pre/post blocks ---- */
void rsd_init_pre(void); /* before PMPI_Init*: remembers the directory */
void rsd_init_post(
	int *argc, char ***argv); /* after it: record.in; ends the program where it is malformed */
#define rsd_finalize_pre()                                                                         \
	rsd_finalize_pre_at(__builtin_return_address(0), __builtin_frame_address(0))
void rsd_finalize_pre_at(
	const void *caller, const void *frame); /* merges and writes, before PMPI_Finalize */
void rsd_finalize_post(void);
void rsd_abort_pre(void); /* before PMPI_Abort: writes what this rank has */
void rsd_pcontrol(int level);

#endif
