/*
 * codegen.h - what the parts of `rsd codegen` share: the program being written
 *
 *	cover.c		which places become calls, and why others do not
 *	requests.c	which variable each request lives in
 *	columns.c	a column over ranks as an expression (columns.h: loops.c, sections.c, tables.c, values.c)
 *	call.c		a place as a call (call.h: args.c, callbacks.c, buffers.c)
 *	program.c	loops, participants, the file as a whole
 *	prelude.c	the functions that the program brings along
 *
 * The program's text grows in several buffers at a time: the calls, and the tables and variables that they turn
 * out to need. Nothing in it depends on how often a loop runs.
 */
#ifndef RSD_CODEGEN_H
#define RSD_CODEGEN_H

#include "prototype.h"
#include "trace.h"

/* Functions of the program itself, written only where they are used; in prelude.c's order. */
enum cg_helper {
	CG_SETS,
	CG_NEXT,
	CG_PEER,
	CG_PEERS,
	CG_SCRATCH,
	CG_INTS,
	CG_AINTS,
	CG_COUNTS,
	CG_HANDLES,
	CG_TAKE,
	CG_RELATIVE,
	CG_STATUS,
	CG_STATUSES,
	CG_REQUESTS,
	CG_PRESENT,
	CG_MEMORY,
	CG_SPAN,
	CG_NUMBER,
	CG_SPANS,
	CG_SPANS_OF_TYPES,
	CG_WHERE,
	CG_OWN,
	CG_KEPT,
	CG_COUNTED,
	CG_LOCAL_SIZE,
	CG_DEGREES,
	CG_ENOUGH,
	CG_NR_HELPERS
};

/* Why a call is left out that takes what is not there; calls left out have made it, or other threads. */
#define CG_USES_ABSENT "uses a handle of a call that is not in the program"

/* A parameter's column, as it is written; see columns.c. */
struct cg_column_of {
	int place, col;
	const struct rsd_params *params; /* borrowed */
	const char *type;		 /* C type of a value */
	int role;			 /* enum rsd_role */
	bool index; /* of handles: the number of the variable, not the handle; requests are always so */
	const char *comm;	    /* peers: expression of their communicator, or NULL */
	int64_t (*same)(int64_t v); /* NULL, or values of which one stands for several */
	const char *own;	    /* buffers: what 0 stands for */
	bool length; /* of arrays: what stands in the place of one is a negative number, cg_instead() */
};

struct cg_request_columns {	/* of one parameter of a place */
	struct rsd_params var;	/* the variable; of an array, of its first element */
	struct rsd_params each; /* of an array: the variable of every element */
};

struct cg_place {
	const struct rsd_prototype *proto; /* NULL: none known */
	int *param;			   /* by the prototype's parameter: the trace's, or -1 */
	int *col;			   /* by the trace's parameter: its first column */
	const char *why_not;		   /* the reason why it is no call; NULL: it is one */
	uint64_t calls;			   /* over all ranks */
	int nr_nodes;
	struct cg_request_columns *request; /* by the trace's parameter; NULL: no requests */
	bool copied;			    /* its arrays of requests do not lie in a row */
	bool has_request, lacks_request;    /* some that it uses are of the program, some are not */
	bool listed;			    /* scratch of reports */
};

struct cg {
	const struct rsd_trace *t;
	const char *path;
	struct cg_place *place;
	struct rsd_buf body, tables, what; /* calls; tables; the fields of 'result' */
	bool helper[CG_NR_HELPERS];
	int depth;			/* tabs before a line */
	const struct rsd_ranks *within; /* who is here */
	int64_t slots[RSD_NR_ROLES];	/* by kind of handle: variables needed */
	bool *named;	     /* by constant * RSD_NR_ROLES + role: needed as a handle in a table */
	bool *tabled;	     /* by column of a place: its table is written */
	int *first_col;	     /* by place: index of its columns in 'tabled' */
	int64_t nr_requests; /* variables */
	int64_t nr_statuses, room; /* of the largest array; bytes of the largest array of results */
	int64_t send_len, recv_len; /* bytes of the buffers */
	double stretch; /* receives take so many times what they took; 1: sizes are exact */
	bool uses_send, uses_recv, uses_text, uses_texts, uses_spare, uses_status;
	int nr_results;	   /* arrays of results of one call */
	bool begun, ended; /* MPI_Init, MPI_Finalize are in the program */
	int nr_sets, nr_tables;
	struct rsd_buf functions; /* stand-ins for callbacks; names of those there are */
	struct rsd_buf function_names;
};

_Noreturn void cg_nomem(void);
void *cg_alloc(size_t nr, size_t size); /* zeroed */

/* ---- cover.c ------------------------------------------------------------------------ */
/* Fills in cg->place. False after a message. */
bool cg_cover(struct cg *cg);
/* Is the column one of requests that the place makes? */
bool cg_has_requests(const struct cg *cg, int place);
/* The constants among a column's values that have a name, ascending by index, 'absent' aside: how many. The caller frees *index. */
size_t cg_constants(const struct cg *cg, const struct rsd_params *p, int **index);
/* Is the constant of this name among them? */
bool cg_has_constant(const struct cg *cg, const struct rsd_params *p, const char *name);
/* Is the trace's parameter made by the call, and not only used? */
bool cg_is_made(const struct cg_place *p, int param);
/* The place is in the program; but some of its calls failed, and are not made. */
bool cg_fails_at_times(const struct cg *cg, int place);
/* Does a function take a null request for one that is complete? Others (MPI_Start, MPI_Cancel) end the program. */
bool cg_takes_null(const char *function);
/* The outcome of the place's calls is MPI's to decide: in words, or NULL. */
const char *cg_undecided(const struct cg *cg, int place);

/* ---- requests.c ----------------------------------------------------------------------- */
/*
 * Walks every rank's calls twice. False after a message. A call that uses requests of the program and others waits for the
 * former and gets null requests for the latter, or, where it takes none (MPI_Startall), is without them; a place all of whose requests are others is left out.
 */
bool cg_place_requests(struct cg *cg);

/* ---- ranks.c ---------------------------------------------------------------------------- */
/* A condition that holds for the ranks of 's' among those of 'within'; writes nothing where that is all of them. */
void cg_condition(struct cg *cg, const struct rsd_ranks *s, const struct rsd_ranks *within,
	struct rsd_buf *out);
/* The table of a set: "r3", and how many runs it has. */
void cg_set(struct cg *cg, const struct rsd_ranks *s, struct rsd_buf *name);
bool cg_overlap(const struct rsd_ranks *a, const struct rsd_ranks *b);
bool cg_within(const struct rsd_ranks *a, const struct rsd_ranks *b); /* is all of 'a' in 'b'? */

/* ---- columns.c ---------------------------------------------------------------------------- */
/* A value as C. */
void cg_value(
	struct cg *cg, const struct cg_column_of *c, bool relative, int64_t v, struct rsd_buf *out);
/*
 * The value that the next call at 'n' takes, as an expression. True where it may be evaluated
 * more than once: false where it moves a cursor.
 */
bool cg_expr(
	struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, struct rsd_buf *out);
/* The number of iterations of a loop. */
void cg_count(struct cg *cg, const struct rsd_node *loop, struct rsd_buf *out);
/* One value for all ranks at 'n' and all calls (absent ones aside)? */
bool cg_constant(
	const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, int64_t *v);
/* An array of 'len' values, the same in each call, as a literal; false, having written nothing, where it is none. */
bool cg_literal(struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n, int64_t len,
	struct rsd_buf *out);
/* The name of the column's table, which is written where it was not yet: "c17". */
void cg_table(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out);
/* The length that stands for a named constant in an array's place. */
int64_t cg_instead(int64_t constant);
/* The largest number of a column, any rank; at least 0. */
int64_t cg_largest(const struct rsd_params *p);
/* "i", "j", ... of a loop at this depth. */
void cg_loop_name(int depth, struct rsd_buf *out);
/* The variable of a kind of handle ("comm"), its C type and null handle; NULL where it is none. */
const char *cg_handle(int role);
const char *cg_handle_type(int role);
const char *cg_handle_null(int role);
/* A C string literal. */
void cg_string(const char *s, size_t len, struct rsd_buf *out);
/* Text of the trace for a comment. */
void cg_comment(const char *s, struct rsd_buf *out);

/* ---- call.c ----------------------------------------------------------------------------------- */
void cg_call(struct cg *cg, const struct rsd_node *n);
/* Is there a stand-in for callbacks of this C type? */
bool cg_has_stand_in(const char *type);

/* ---- prelude.c ---------------------------------------------------------------------------------- */
void cg_prelude(struct cg *cg, struct rsd_buf *out);
void cg_need(struct cg *cg, enum cg_helper h);

/* ---- program.c ------------------------------------------------------------------------------------ */
void cg_indent(struct cg *cg);
/* Writes the whole program to 'out'. */
void cg_program(struct cg *cg, struct rsd_buf *out);

/*
 * moves.c: before anything else, as what is written of columns knows no moves. False where loops have counts that can't be written
 * so. A place that has such values keeps its moves, and is left out.
 */
bool cg_without_moves(struct rsd_trace *t);
bool cg_has_moves(const struct rsd_params *p);

#endif
