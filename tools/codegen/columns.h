/*
 * columns.h - what the files about columns share: columns.c, loops.c, sections.c, tables.c, values.c
 */
#ifndef RSD_CODEGEN_COLUMNS_H
#define RSD_CODEGEN_COLUMNS_H

#include "codegen.h"

#define CG_MAX_LIST 16 /* values of a literal */

/* ---- sections.c: a column's sections, unpacked ------------------------------------------------ */
struct cg_sections { /* flat, as in the encoding; 's' is freed by whoever asked for them */
	struct rsd_section *s;
	size_t nr, alloc;
};
struct cg_sections cg_sections_of(const struct rsd_column *c);
/* The first values, up to 'max', of the sections from 'at' to 'end'; how many there are, or max + 1. */
size_t cg_expand(const struct cg_sections *all, size_t at, size_t end, size_t max, int64_t add,
	int64_t *out);
/*
 * Are the values a pattern of 'period' of them, again and again? Whatever the form: folding may have begun in the
 * middle of a pattern.
 */
bool cg_is_periodic(const struct cg_sections *all, uint64_t period, int64_t *pattern);

/* ---- values.c: one value as C ---------------------------------------------------------------- */
void cg_need_slots(struct cg *cg, int role, int64_t nr);
const char *cg_constant_name(const struct cg *cg, int64_t v);

/* ---- columns.c ---------------------------------------------------------------------------------- */
/* Visits the variants, of both encodings, that someone at 'n' has; NULL: all. Stops at nonzero and returns it. */
int cg_each_variant(const struct cg *cg, const struct cg_column_of *c, const struct rsd_node *n,
	int (*fn)(const struct rsd_variant *v, bool relative, void *arg), void *arg);
struct cg_constant {
	const struct cg_column_of *c;
	bool found;
	int64_t v;
};
/* For rsd_column_sections: stops at a value that differs from the one before. */
int cg_same_value(const struct rsd_section *s, void *arg);

/* ---- loops.c -------------------------------------------------------------------------------------- */
/* The variant in terms of the loops around 'n'; false, having written nothing, where there is no way. */
bool cg_by_loops(struct cg *cg, const struct cg_column_of *c, const struct rsd_variant *v,
	bool relative, const struct rsd_node *n, struct rsd_buf *out);

/* ---- tables.c --------------------------------------------------------------------------------------- */
void cg_put_table(struct cg *cg, const struct cg_column_of *c, const char *name);
/* "next(&c17)" */
void cg_next(struct cg *cg, const struct cg_column_of *c, struct rsd_buf *out);

#endif
