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

/* A parameter's value in what is said of an event. */
struct rsd_piece {
	size_t at, end;	    /* in the text */
	size_t val, nr_val; /* in the values */
	bool present;	    /* it is significant, and so has a text */
	bool plain;	    /* a single number, and no handle */
	bool varies; /* it was another one in a later event: from then on it is written anew */
};

/* What is said of an event, but for its time: most often the next one from there says the same, or much of it. */
struct rsd_said {
	int func, sig, nested, rank, thread; /* func -1: nothing yet */
	enum rsd_style style;
	bool stack;
	int64_t *val;
	size_t nr_val, alloc_val;
	struct rsd_piece *piece; /* by parameter */
	size_t alloc_pieces;
	int nr_vary;
	bool whole; /* it has texts of several parameters in one: these are not written anew one by one */
	struct rsd_buf text;
	size_t before_time; /* of the text's bytes, what stands before the time */
};
#define RSD_SAID_BITS 6

struct rsd_format {
	const struct rsd_trace *t;
	struct rsd_buf bytes; /* all prepared texts */
	struct rsd_func_text *func;
	struct rsd_text *constant; /* quoted names */
	struct rsd_text
		word[RSD_NR_ROLES]; /* of handles: "request-, without the quotation mark behind */
	struct rsd_text *site;	    /* "site":{...}; empty where there is none */
	const struct rsd_sources *sources; /* or NULL */
	const char **module;		   /* name to show; borrowed from the trace */
	/* scratch, of the event being written: what wildcards matched; values from before the call */
	struct rsd_buf matched, before;
	struct rsd_said said[1 << RSD_SAID_BITS]; /* by a hash of function and signature */
};

static inline bool rsd_format_is_handle(const struct rsd_format *f, int role)
{
	return role >= 0 && role < RSD_NR_ROLES && f->word[role].len;
}

static inline void rsd_text_put(const struct rsd_format *f, struct rsd_text x, struct rsd_buf *out)
{
	rsd_buf_put(out, f->bytes.data + x.at, x.len);
}

#endif
