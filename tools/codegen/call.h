/*
 * call.h - what the files about calls share: args.c, callbacks.c, buffers.c, call.c
 */
#ifndef RSD_CODEGEN_CALL_H
#define RSD_CODEGEN_CALL_H

#include "codegen.h"

struct cg_arg {
	struct rsd_buf text;
	struct rsd_buf nr; /* arrays: how many elements */
	char type[64];	   /* as a variable's */
	bool pure;
};

struct cg_call {
	struct cg *cg;
	const struct rsd_node *n;
	const struct rsd_func *f;
	const struct cg_place *p;
	struct cg_arg *arg;
	struct rsd_buf before, after; /* lines around the call */
	bool makes_request;
	int nr_results; /* arrays of results so far */
};

/* ---- call.c ------------------------------------------------------------------------------ */
void cg_arg_set(struct cg_arg *a, const char *text);
/* The text, 0-terminated; it is the buffer's, until that changes. */
const char *cg_text_of(struct rsd_buf *b);
/* A parameter of the prototype by its name; -1. */
int cg_param_named(const struct cg_call *c, const char *name);
/* The sub-th column of a recorded parameter. */
struct cg_column_of cg_param_column(const struct cg_call *c, int i, int sub);
int cg_trace_type(const struct cg_call *c, int i); /* enum rsd_type */
/* The argument becomes a variable of a block around the call. */
void cg_make_variable(struct cg_call *c, int i);

/* ---- args.c ------------------------------------------------------------------------------ */
/* The field of 'result' that a call's result goes to. */
void cg_put_result(struct cg_call *c, int i);
void cg_make_number(struct cg_call *c, int i);
/* By how much a receive takes more than its count: sizes may be drawn. 1: it does not. */
double cg_stretch_of(const struct cg_call *c, int i);
void cg_make_array(struct cg_call *c, int i);
void cg_make_handle(struct cg_call *c, int i);
void cg_make_request(struct cg_call *c, int i);
void cg_make_status(struct cg_call *c, int i);
void cg_make_statuses(struct cg_call *c, int i);

/* ---- callbacks.c ---------------------------------------------------------------------------- */
void cg_make_function(struct cg_call *c, int i);

/* ---- buffers.c -------------------------------------------------------------------------------- */
/* After all other arguments. */
void cg_make_buffer(struct cg_call *c, int i);

#endif
