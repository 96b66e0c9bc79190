/*
 * emit.h - an output file: collected in memory, written only where it differs
 */
#ifndef RSD_EMIT_H
#define RSD_EMIT_H

#include <string.h>
#include "model.h"

struct out {
	const char *name;
	char *text;
	size_t len, alloc;
	int line;   /* the line that is being written, from 1 */
	int indent; /* tabs before each line, beyond those in the text */
};

void rsd_out_init(struct out *o, const char *name);
void rsd_out(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A block of the spec's C, with #line to where it came from and back. */
void rsd_out_code(struct out *o, const struct code *c);
/*
 * Replaces the file in 'dir' where its content differs, so that make has
 * nothing to do otherwise, and frees the text. Ends the program on failure.
 */
void rsd_out_write(struct out *o, const char *dir);

/* The parameter list of a prototype or definition. */
void rsd_out_params(struct out *o, const struct func *f);
/*
 * An expression as C. Wrappers and replay know parameters and facts by other names: 'put_name' writes
 * those of EX_NAME, EX_OLD and EX_INDEX (the array's), and of EX_CALL also "(" and a first argument.
 */
void rsd_out_expr(struct out *o, const struct expr *e,
	void (*put_name)(void *arg, const struct expr *e), void *arg);
/* "comm" as "COMM": for enumerators. */
const char *rsd_upper(struct model *m, const char *s);
const char *rsd_lower(struct model *m, const char *s);

/* The enumerators of opstruct.h, without prefix, for a recorded parameter's type and role. */
const char *rsd_param_type(const struct param *p);
const char *rsd_param_role(struct model *m, const struct param *p);

/* Each writes one file of the output directory. */
void rsd_emit_wrap(struct model *m, struct out *o, bool record);
void rsd_emit_fortran(struct model *m, struct out *o);
/* The ones that record, into the same file. */
void rsd_emit_entries(struct model *m, struct out *o);
void rsd_emit_table(struct model *m, struct out *o);
void rsd_emit_table_header(struct model *m, struct out *o);
void rsd_emit_replay(struct model *m, struct out *o);
void rsd_emit_prototypes(struct model *m, struct out *o);
void rsd_emit_alltest(struct model *m, struct out *o, bool record);
/* 'wrappers': the text of the wrappers, in which the runtime's functions are found. */
void rsd_emit_twins(struct model *m, struct out *o, const struct out *wrappers, bool record);

/* Is the parameter of a role of that kind? */
static inline bool is_kind(const struct param *p, const char *kind)
{
	return !strcmp(p->role->kind, kind);
}
/* Does the function get a wrapper? */
bool rsd_is_wrapped(const struct func *f, bool record);
/* Does it return an error class? */
bool rsd_returns_error(const struct func *f);

#endif
