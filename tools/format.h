/*
 * format.h - values, call sites and events as text for people or as JSON
 *
 * JSON strings are UTF-8. A byte that is not part of valid UTF-8 becomes the lone
 * surrogate \udc80 ... \udcff (0xdc00 + byte), as Python's surrogateescape does: so
 * every byte string has its own text, and comes back from it exactly.
 */
#ifndef RSD_FORMAT_H
#define RSD_FORMAT_H

#include <stdbool.h>
#include "source.h"
#include "trace.h"

enum rsd_style { RSD_STYLE_TEXT, RSD_STYLE_JSON };

/* 'len' bytes as a quoted string: JSON, or C-like with \xHH for bytes that are not UTF-8. */
void rsd_format_string(const char *s, size_t len, enum rsd_style style, struct rsd_buf *out);

/* Texts prepared once for a trace, so that an event costs copying. */
struct rsd_format;
struct rsd_format *rsd_format_new(const struct rsd_trace *t); /* borrows 't'; NULL: out of memory */
void rsd_format_free(struct rsd_format *f);
/* Call sites are shown with their source lines from now on. Borrows 's'. 0 or RSD_ERR_NOMEM. */
int rsd_format_set_sources(struct rsd_format *f, const struct rsd_sources *s);
/*
 * A new one, with source lines where 'o' wants them. *sources, NULL where it does not, is freed by rsd_sources_free, after
 * the format. NULL: out of memory.
 */
struct rsd_format *rsd_format_open(const struct rsd_trace *t, const struct rsd_source_options *o,
	struct rsd_sources **sources);

/* The name of named constant 'v'; never NULL. */
const char *rsd_format_constant(const struct rsd_trace *t, int64_t v);
/* A single value: number, constant, handle or string (in JSON quoted where it is no number). */
void rsd_format_value(
	const struct rsd_format *f, int role, int64_t v, enum rsd_style style, struct rsd_buf *out);
/*
 * The call site of signature 'sig': {"module":"app","offset":"0x1a3f"} or app+0x1a3f. The
 * module is its file name, or its path where two modules share the name. With sources: "file",
 * "line", "column", "function" and, where it is inlined, "inlined", a list of what it is inlined into,
 * outwards; as text, FILE:LINE in FUNCTION <- FUNCTION FILE:LINE. Where only the function is known, "function" alone, and
 * MODULE+OFFSET in FUNCTION. Returns false, having written nothing, where there is no site.
 */
bool rsd_format_site(
	const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out);
/* All frames, innermost first: ["app+0x1a3f","app+0x1200"] or app+0x1a3f_app+0x1200. */
bool rsd_format_stack(
	const struct rsd_format *f, int sig, enum rsd_style style, struct rsd_buf *out);

/* A single frame: app+0x1a3f. */
void rsd_format_frame(
	const struct rsd_format *f, const struct rsd_frame *frame, struct rsd_buf *out);

/* An event without a newline: a JSON object as promised to other programs, or "0 MPI_Send(count=4,
 * ...)". */
void rsd_format_event(struct rsd_format *f, const struct rsd_event *e, enum rsd_style style,
	bool stack, struct rsd_buf *out);

/*
 * One parameter of an event, whose values begin at 'v'. False, having written nothing, where it is not significant in this
 * call. What an ignored status matched follows: "MPI_STATUS_IGNORE matched {...}", in JSON a list of both.
 */
bool rsd_format_param(struct rsd_format *f, const struct rsd_event *e, int param, const int64_t *v,
	enum rsd_style style, struct rsd_buf *out);

#endif
