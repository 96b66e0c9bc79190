/*
 * format_texts.h - what format.c has prepared, for format_event.c to copy
 *
 * Inside of format.h; nobody else includes it.
 */
#ifndef RSD_FORMAT_TEXTS_H
#define RSD_FORMAT_TEXTS_H

#include "format.h"

struct rsd_text {
	size_t at, len;
}; /* a piece of rsd_format.bytes */

struct rsd_func_text {
	struct rsd_text call;	/* "call":"MPI_Send","args":{ */
	struct rsd_text *param; /* "count": */
	int nr_old;		/* the first of these are values from before the call */
};

/* What is said of an event, but for its time: most often the next one from there says the same. */
struct rsd_said {
	int func, sig, nested, rank, thread; /* func -1: nothing yet */
	enum rsd_style style;
	bool stack;
	int64_t *val;
	size_t nr_val, alloc_val;
	struct rsd_buf text;
	size_t before_time; /* of the text's bytes, what stands before the time */
};
#define RSD_SAID_BITS 6

struct rsd_format {
	const struct rsd_trace *t;
	struct rsd_buf bytes; /* all prepared texts */
	struct rsd_func_text *func;
	struct rsd_text *constant;	   /* quoted names */
	struct rsd_text *site;		   /* "site":{...}; empty where there is none */
	const struct rsd_sources *sources; /* or NULL */
	const char **module;		   /* name to show; borrowed from the trace */
	/* scratch, of the event being written: what wildcards matched; values from before the call */
	struct rsd_buf matched, before;
	struct rsd_said said[1 << RSD_SAID_BITS]; /* by a hash of function and signature */
};

static inline void rsd_text_put(const struct rsd_format *f, struct rsd_text x, struct rsd_buf *out)
{
	rsd_buf_put(out, f->bytes.data + x.at, x.len);
}

#endif
