/*
 * trace_text.h - the rsd text format: a trace as lines that people can read
 *
 * A file is one section, or several (what ranks recorded after the trace had been
 * written); a section is
 *
 *	start		"rsd 3", size of the world, ranks
 *	logs		of a flat trace: blocks of events of one rank and thread, as they came; "version 7" before
 *			what that has and the first line's has not
 *	tables		the rest of the header, tables, places, trees
 *	end		checksum of the section's bytes before this line
 *
 * doc/trace-format.md has the grammar.
 */
#ifndef RSD_TRACE_TEXT_H
#define RSD_TRACE_TEXT_H

#include "trace.h"

#define RSD_TEXT_MAGIC "rsd 3\n"
#define RSD_TEXT_MAGIC_SCALARS "rsd 4\n" /* with histograms of values (ScalarParam.h) */
#define RSD_TEXT_MAGIC_WHOLE "rsd 5\n"	 /* with whole ones */
#define RSD_TEXT_SCALAR "@scalar"
#define RSD_TEXT_WHOLE "@each"
#define RSD_TEXT_COUNT "count" /* the column of a loop */
#define RSD_TEXT_MAGIC_CLOCKS                                                                      \
	"rsd 6\n"	   /* with threads and clocks (trace.h), and maybe the former */
#define RSD_TEXT_FOREIGN 7 /* with requests of other threads (opstruct.h), and maybe the former */
#define RSD_TEXT_MAGIC_FOREIGN "rsd 7\n"

void rsd_text_start(const struct rsd_trace *t, struct rsd_buf *out);

/* Names of the constants met on the way, or NULL where an index has none. */
struct rsd_text_names {
	const char *(*name)(int index, void *arg);
	void *arg;
};
/* Names as a trace has them; t is not changed. */
struct rsd_text_names rsd_text_trace_names(const struct rsd_trace *t);

/*
 * One block: the events in log[0..len) (flat.h). Their places are indices into number[],
 * which tells what to write: the place's position among the places of its thread. NULL: they are
 * that already. RSD_ERR_FORMAT where the log is damaged, with what precedes the damage written.
 */
int rsd_text_log(int rank, int thread, const void *log, size_t len, const int *number,
	const struct rsd_text_names *names, struct rsd_buf *out);
/* For each place of the trace its position among those of its thread; freed by the caller; NULL: no
 * memory. */
int *rsd_text_place_numbers(const struct rsd_trace *t);

/*
 * All but logs. drain (or NULL) empties 'out' now and then, and what it returns ends this unless it is 0; that
 * is returned. Other failures are in out->err.
 */
int rsd_text_tables(
	const struct rsd_trace *t, struct rsd_buf *out, int (*drain)(void *), void *arg);
void rsd_text_end(uint64_t sum, struct rsd_buf *out);

/* The whole section, logs included; a failure is in out->err. */
void rsd_text_print(const struct rsd_trace *t, struct rsd_buf *out);

/*
 * Reads the section at text[*pos..len) and moves *pos behind it. 0 with *out set
 * (caller frees), or an error with "offset N: what is wrong" in 'why'.
 */
int rsd_text_parse(
	struct rsd_trace **out, const char *text, size_t len, size_t *pos, struct rsd_buf *why);

/* Single lines, which the ascii format has as well. */
void rsd_text_put_version(int version, struct rsd_buf *out);
void rsd_text_put_state(
	const struct rsd_trace *t, struct rsd_buf *out); /* complete or not, meta data */
void rsd_text_put_constant(int index, const char *name, struct rsd_buf *out);
void rsd_text_put_function(size_t id, const struct rsd_func *f, struct rsd_buf *out);
void rsd_text_put_module(size_t id, const struct rsd_module *m, struct rsd_buf *out);
void rsd_text_put_objects(const struct rsd_trace *t, struct rsd_buf *out);
void rsd_text_put_sources(const struct rsd_trace *t, struct rsd_buf *out);

/* Words for types, roles, classes and kinds of objects, as the format has them; index -1 where
 * there is none. */
extern const char *const rsd_text_type[RSD_NR_TYPES];
extern const char *const rsd_text_role[RSD_NR_ROLES];
extern const char *const rsd_text_class[RSD_NR_CLASSES];
extern const char *const rsd_text_object[RSD_NR_OBJECT_KINDS];
extern const char *const rsd_text_attr[RSD_NR_OBJECT_KINDS][RSD_OBJECT_ATTRS];
extern const char *const rsd_text_timing[3]; /* histograms of a place */
/* The name of a function's column: the parameter's, with ".n", ".kind" ... behind it; the error's
 * is "return". */
void rsd_text_column_name(const struct rsd_func *f, int col, struct rsd_buf *out);

#endif
