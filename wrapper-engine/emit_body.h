/*
 * emit_body.h - the parts of a wrapper, for C's and for Fortran's entry points
 *
 * In the body of either, a parameter is a C variable of its standard name and C type. A wrapper of
 * C's has them as its own parameters; a Fortran entry point declares them, from its arguments.
 */
#ifndef RSD_EMIT_BODY_H
#define RSD_EMIT_BODY_H

#include "emit.h"

struct wrap {
	struct model *m;
	struct out *o;
	const struct func *f;
	const char *entry; /* Fortran: the entry point's name; NULL: a wrapper of C's */
	const char
		*twin; /* Fortran: what the library calls the same thing under its profiling name */
	bool described; /* Fortran: buffers come as descriptors of arrays */
	bool through_c; /* Fortran: the library's routine may call C's function, and so its wrapper */
};

bool rsd_body_is_status(const struct param *p);
/* Has the Fortran entry point the parameter, too? */
bool rsd_body_in_fortran(const struct param *p);
/* The kind of what the parameter is: "comm", "int"; a role that says "handle" leaves it to the type. */
const char *rsd_body_kind(const struct wrap *w, const struct param *p);
void rsd_body_expr(struct wrap *w, const struct expr *e);

void rsd_body_locals(struct wrap *w);
/* Is anything seen, or put, before the call? */
bool rsd_body_has_pre(const struct wrap *w);
/* What is seen, and what is put, before the call. */
void rsd_body_pre(struct wrap *w);
void rsd_body_olds(struct wrap *w);
/* All values after it, and the end of the event. */
void rsd_body_values(struct wrap *w);
/* Blocks of the spec's C. */
void rsd_body_code(struct wrap *w, const struct list *blocks);

/* The body of a wrapper, from its first declaration to its last return (emit_wrap.c). */
void rsd_emit_body(struct wrap *w, bool record);

/* ---- what differs in Fortran (emit_entry.c) ---- */
void rsd_entry_locals(struct wrap *w);
/* Is the parameter read where the program keeps it, by functions for what Fortran has there (rsd_put_f_...)? */
bool rsd_entry_in_place(const struct wrap *w, const struct param *p);
/* Has mpif.h's routine an entry point of its own, as it does not lead to C's function? */
bool rsd_entry_past(struct model *m, const struct func *f);
/* Finds the library's routine. */
void rsd_entry_library(struct wrap *w);
/* Calls it; 'ours': with statuses of ours where the program has none. */
void rsd_entry_twin(struct wrap *w, bool ours);
/* After the call: results as C has them; and back, where they are in the program's memory. */
void rsd_entry_results(struct wrap *w);
void rsd_entry_restore(struct wrap *w);

#endif
