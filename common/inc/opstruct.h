/*
 * opstruct.h - what an event is: functions, their parameters, and the values of one call
 *
 * An event is one MPI call of one thread of one rank:
 *
 *	function, stack signature, nesting, and a vector of 64-bit values
 *
 * The vector ("replay_op") is laid out by the function's parameters, in the
 * standard's order, each parameter by its type:
 *
 *	RSD_T_INT	v
 *	RSD_T_STRING	id of the string in the trace's string table (symbolic)
 *	RSD_T_INTS	n, then n values; n may instead be a named constant
 *	RSD_T_STRINGS	n, then n string ids
 *	RSD_T_STATUS	kind, then source, tag, error   if kind has them
 *	RSD_T_STATUSES	n, then n times: kind[, source, tag, error]
 *
 * and after the parameters one last value: the error class the call returned,
 * 0 for MPI_SUCCESS, otherwise the named constant of the class or a plain number.
 *
 * Named constants. A value that stands for a name of the MPI standard
 * (MPI_PROC_NULL, MPI_INT, MPI_COMM_WORLD, MPI_IN_PLACE, MPI_THREAD_MULTIPLE...)
 * is RSD_CONST(i), i an index into the constant table that the trace carries.
 * Index 0 is always "absent": the parameter is not significant in this call.
 * Constants are never shifted, scaled or made relative by any encoding.
 *
 * Columns. For folding, the values at one place are kept by column, and every
 * element of an array goes to the same column, in order. A parameter has
 *	INT, STRING 1: the value       INTS, STRINGS 2: n; elements
 *	STATUS 4: kind; source; tag; error      STATUSES 5: n; kinds; sources; tags; errors
 * columns, numbered through all parameters; the error is the last column.
 */
#ifndef RSD_OPSTRUCT_H
#define RSD_OPSTRUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSD_CONST_MAX (1 << 20)
#define RSD_CONST(i) (INT64_MIN + (int64_t)(i))
#define RSD_ABSENT RSD_CONST(0)

static inline bool rsd_is_const(int64_t v)
{
	return v < INT64_MIN + RSD_CONST_MAX;
}
static inline int rsd_const_index(int64_t v)
{
	return (int)(v - INT64_MIN);
}

enum rsd_type {
	RSD_T_INT,
	RSD_T_STRING,
	RSD_T_INTS,
	RSD_T_STRINGS,
	RSD_T_STATUS,
	RSD_T_STATUSES,
	RSD_NR_TYPES
};

/* Kinds of a status in a value vector. */
enum rsd_status_kind {
	RSD_STATUS_ABSENT = 0,	/* not significant (flag was 0, ...): no values follow */
	RSD_STATUS_IGNORED = 1, /* MPI_STATUS(ES)_IGNORE was passed: no values follow */
	RSD_STATUS_KEPT = 2,	/* asked for: source, tag, error follow */
	RSD_STATUS_MATCHED =
		3, /* ignored by the program, but a wildcard was matched: they follow, too */
};

/* What a value means: how it is printed, and compared across ranks. The numbers are part of the trace format. */
enum rsd_role {
	RSD_R_INT,  /* a plain number: count, displacement, flag, size, offset ... */
	RSD_R_PEER, /* a rank in the communicator named by 'of' */
	RSD_R_TAG,
	RSD_R_COMM,
	RSD_R_DATATYPE,
	RSD_R_REQUEST,
	RSD_R_OP,
	RSD_R_GROUP,
	RSD_R_WIN,
	RSD_R_FILE,
	RSD_R_INFO,
	RSD_R_ERRHANDLER,
	RSD_R_MESSAGE,
	RSD_R_SESSION,
	RSD_R_KEYVAL,
	RSD_R_NAMED,	/* a number that usually has a name (thread level, lock type, combiner) */
	RSD_R_BUFFER,	/* 0, or the constant passed: MPI_BOTTOM, MPI_IN_PLACE, "NULL" */
	RSD_R_FUNCTION, /* a callback: 0, or a constant such as MPI_NULL_COPY_FN, or slot id */
	RSD_R_STRING,
	RSD_R_STATUS,
	RSD_R_ERROR, /* an error code: constant of its class, or a plain number */
	RSD_NR_ROLES
};
/*
 * Handle values (COMM ... KEYVAL) are: a named constant; or a slot number >= 0, printed
 * "comm2", "type3", ...; a request is a distance from the head of the request table
 * ("request-2"), another thread's (rsd_foreign), or below 0 a persistent one: -1-slot ("persistent0").
 *
 * Each thread numbers what it makes, whatever others make at the same time: a slot number is (thread's number, n),
 * n the lowest that this thread has free. Of thread 0 it is n; of others, "comm1.2": thread 1's slot 2.
 */
static inline int64_t rsd_slot(int owner, uint32_t n)
{
	return (int64_t)owner << 32 | (int64_t)n;
}
static inline int rsd_slot_owner(int64_t slot)
{
	return (int)(slot >> 32);
}
static inline uint32_t rsd_slot_number(int64_t slot)
{
	return (uint32_t)slot;
}
/*
 * A request that another thread has made, and that is not persistent, is named by that thread and by how many it had
 * made before ("request1.5"): a distance from a head that moves meanwhile would be anything, and could be one's own.
 * Counted are, as for distances, those of which the trace tells that they were made; others have no name in it (absent).
 * In the bits from RSD_FOREIGN_BITS on is the thread's number + 1, and no distance gets there. What is beyond is of no thread, and taken for a
 * distance.
 */
#define RSD_FOREIGN_BITS 42
#define RSD_FOREIGN_OWNERS (1 << 20) /* numbers of threads: RSD_AFTER (trace.h) */
static inline int64_t rsd_foreign(int owner, uint64_t number)
{
	return (int64_t)(((uint64_t)owner + 1) << RSD_FOREIGN_BITS | number);
}
static inline bool rsd_is_foreign(int64_t request)
{
	return request >= INT64_C(1) << RSD_FOREIGN_BITS &&
	       request >> RSD_FOREIGN_BITS <= RSD_FOREIGN_OWNERS;
}
static inline int rsd_foreign_owner(int64_t request)
{
	return (int)((request >> RSD_FOREIGN_BITS) - 1);
}
static inline uint64_t rsd_foreign_number(int64_t request)
{
	return (uint64_t)request & ((UINT64_C(1) << RSD_FOREIGN_BITS) - 1);
}

struct rsd_param {
	const char *name; /* as the MPI standard spells it */
	uint8_t type;	  /* enum rsd_type */
	uint8_t role;	  /* enum rsd_role */
	int16_t of;	  /* PEER: index of the parameter with the communicator, or -1 */
};

enum rsd_class { /* how reports group functions; part of the trace format */
	RSD_C_OTHER,
	RSD_C_P2P,
	RSD_C_COLL,
	RSD_C_COMPLETION,
	RSD_C_COMM,
	RSD_C_TYPE,
	RSD_C_RMA,
	RSD_C_IO,
	RSD_C_ENV,
	RSD_C_LOCAL,
	RSD_NR_CLASSES
};

struct rsd_func {
	const char *name;
	const struct rsd_param *param;
	int nr_params;
	uint8_t class; /* enum rsd_class */
	/* Bytes moved by a call for statistics: sum over i of value(count[i]) * size(datatype[i]);
	 * -1 where unused. Filled in by the generator from the parameter names. */
	int8_t sent_count, sent_type, recv_count, recv_type;
};

/*
 * Numbers that a call takes and changes are two parameters: NAME, as after the call, and
 * RSD_OLD NAME, as before it. The latter come first. How many they are:
 */
#define RSD_OLD "old_"
int rsd_func_nr_old(const struct rsd_func *f);

/* Index of the parameter of this name, or -1. */
int rsd_func_find_param(const struct rsd_func *f, const char *name);

/*
 * How many values a parameter has in the vector of a call, that at 'v' being the first. The vector is valid:
 * one that a walk gave.
 */
size_t rsd_param_length(enum rsd_type type, const int64_t *v);
/* The same of one status in an array of them, by its kind. */
static inline size_t rsd_status_length(int64_t kind)
{
	return kind == RSD_STATUS_KEPT || kind == RSD_STATUS_MATCHED ? 4 : 1;
}

/* Number of columns a parameter of this type has. */
int rsd_type_columns(enum rsd_type type);
/* The first so many of them say to which columns other values belong: an array's length, a status's kind. */
int rsd_type_layout_columns(enum rsd_type type);
/* Number of columns of a function, the error's included. */
int rsd_func_columns(const struct rsd_func *f);
/* The first column of parameter 'param'; of nr_params: the error's. */
int rsd_func_first_column(const struct rsd_func *f, int param);

/*
 * Steps through a value vector: which column the next value belongs to. Drives
 * recording (values to columns) and walking (columns to values) alike.
 *
 *	struct rsd_layout l;
 *	rsd_layout_init(&l, f);
 *	while ((col = rsd_layout_column(&l)) >= 0)
 *		{ v = ...; if (rsd_layout_step(&l, v)) error }
 */
struct rsd_layout {
	const struct rsd_func *f;
	int param;    /* index of the current parameter; nr_params: the error */
	int col;      /* first column of the current parameter */
	int sub;      /* column of the current value, within the parameter */
	int64_t left; /* array elements still to come, the current one included */
};
void rsd_layout_init(struct rsd_layout *l, const struct rsd_func *f);
/* The column of the value to come next; -1 at the end. */
int rsd_layout_column(const struct rsd_layout *l);
/* How many values from here on are of that column, whatever they are: what is left of a plain array, or 1. */
size_t rsd_layout_run(const struct rsd_layout *l);
/* Takes so many. */
void rsd_layout_pass(struct rsd_layout *l);
/* Takes the value; RSD_ERR_FORMAT where it is impossible (a negative length, an unknown status kind). */
int rsd_layout_step(struct rsd_layout *l, int64_t v);

/*
 * Values of one call, at most: room for an Alltoallw of 2.7 million ranks, or a Waitall of 3.3 million
 * requests with their statuses. A reader keeps one call's values in memory: without a limit a
 * file of 500 bytes could ask for any amount of it. Recording leaves out what has more.
 */
#define RSD_MAX_VALUES ((size_t)1 << 24)

/* 73 years: no time of an event is later, whatever a trace says, so that times can be added and subtracted. */
#define RSD_LATEST_NS (INT64_C(1) << 61)

/* A decoded event, as walks give it and tools take it. */
struct rsd_event {
	int rank, thread;
	int func;	    /* index into the trace's functions */
	int sig;	    /* index into the trace's signatures; -1: none */
	int nested;	    /* 0, or how deep inside callbacks */
	const int64_t *val; /* the vector; belongs to the walk, valid until its next step */
	size_t nr_val;
	bool has_time;
	int64_t begin_ns,
		dur_ns; /* since the start of the run; duration. 0 and up, together at most RSD_LATEST_NS */
};
/* Of a call so long after 'clock', the end of the one before; returns its own end. */
int64_t rsd_event_set_time(struct rsd_event *e, int64_t clock, uint64_t before_ns, uint64_t dur_ns);
/* How long after *clock, the end of the thread's call before, it was; *clock becomes its own end. 0 where it has no time. */
uint64_t rsd_event_before(const struct rsd_event *e, int64_t *clock);

#endif
