/*
 * ascii.h - events as people read them, one a line, and the ascii format made of such lines
 *
 *	0 0 MPI_Send(count=4, datatype=MPI_INT, dest=1, tag=5, comm=MPI_COMM_WORLD) t=0.000012345
 *dur=0.000000210 @app+1a3f_app+2204
 *
 * rank, thread, function, arguments, what is out of the ordinary (error class, nesting),
 * times, call site and the frames around it. Arguments that are not significant in a call
 * are left out. Lines of the tables (trace_text.h) stand before the first event that
 * needs them.
 */
#ifndef RSD_ASCII_H
#define RSD_ASCII_H

#include "buf.h"
#include "opstruct.h"
#include "trace.h"

#define RSD_ASCII_MAGIC "ascii 1\n"
#define RSD_ASCII_MAGIC_SOURCES "ascii 2\n"
#define RSD_ASCII_MAGIC_CLOCKS "ascii 3\n" /* and maybe the former */
#define RSD_ASCII_FOREIGN 4 /* with requests of other threads, and maybe the former */
#define RSD_ASCII_MAGIC_FOREIGN "ascii 4\n"

/* One value, by its role: "MPI_INT", "type3", "request-2", "17". Only t's constants are used. */
void rsd_ascii_value(const struct rsd_trace *t, enum rsd_role role, int64_t v, struct rsd_buf *out);
/* A slot's number: "2", or of a thread that is not 0 "1.2". */
void rsd_ascii_slot(int64_t slot, struct rsd_buf *out);
/* Another thread's request: its thread and number, "1.5". */
void rsd_ascii_foreign(int64_t request, struct rsd_buf *out);
/* A handle's word by role: "comm", "type" ...; NULL where values of this role are no handles. */
const char *rsd_ascii_handle(enum rsd_role role);
/* "MPI_Send(count=4, ...)" with " = MPI_ERR_TRUNCATE" behind it where the call failed. */
void rsd_ascii_call(const struct rsd_trace *t, const struct rsd_func *f, const int64_t *val,
	size_t nr_val, struct rsd_buf *out);
/*
 * Short names of a table's modules: the last part of the path, without what can't stand in a
 * word of the format, and with "~ID" behind it where an earlier module has that name.
 */
struct rsd_ascii_names {
	char **name;
	size_t nr, alloc;
	struct rsd_map by_name;
};
#define RSD_ASCII_NAMES_INIT ((struct rsd_ascii_names){ NULL, 0, 0, RSD_MAP_INIT })
/* Names the modules that came since the last time. 0 or RSD_ERR_NOMEM. */
int rsd_ascii_names_update(struct rsd_ascii_names *n, const struct rsd_sigs *sigs);
void rsd_ascii_names_release(struct rsd_ascii_names *n);
/* The module of this name, or -1. */
int rsd_ascii_names_find(const struct rsd_ascii_names *n, const char *name, size_t len);
/* "app+1a3f_app+2204"; the names are up to date. */
void rsd_ascii_site(
	const struct rsd_sigs *sigs, int sig, const struct rsd_ascii_names *n, struct rsd_buf *out);

/* Writing a file: 't' may grow while events are written. */
struct rsd_ascii {
	const struct rsd_trace *t;
	struct rsd_buf *out;
	size_t nr_funcs, nr_modules; /* lines already written */
	struct rsd_ascii_names names;
	bool *constant; /* by index: has it been written? */
	size_t nr_constants, alloc_constants;
};
void rsd_ascii_start(struct rsd_ascii *a, const struct rsd_trace *t, struct rsd_buf *out);
/* A constant the trace has got since the start; stands before the first event that has it. */
void rsd_ascii_constant(struct rsd_ascii *a, int index);
void rsd_ascii_event(struct rsd_ascii *a, const struct rsd_event *e);
/* What the trace has got since the last event. */
void rsd_ascii_news(struct rsd_ascii *a);
/* What stands behind the last event and the news: all but the end line, which is rsd_text_end. */
void rsd_ascii_tables(const struct rsd_trace *t, struct rsd_buf *out);
/* The two, one after the other; then a is released. */
void rsd_ascii_finish(struct rsd_ascii *a);
void rsd_ascii_release(struct rsd_ascii *a);

/*
 * All calls of all ranks of 't' in order; flush, if not NULL, is called now and then to empty
 * 'out'. 0, or an error with a text in 'why', or what flush returned.
 */
int rsd_ascii_print(const struct rsd_trace *t, struct rsd_buf *out, int (*flush)(void *arg),
	void *arg, struct rsd_buf *why);

/* As rsd_text_parse; the result is a flat trace. */
int rsd_ascii_parse(
	struct rsd_trace **out, const char *text, size_t len, size_t *pos, struct rsd_buf *why);

#endif
