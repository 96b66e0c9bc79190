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
};

static inline void rsd_text_put(const struct rsd_format *f, struct rsd_text x, struct rsd_buf *out)
{
	rsd_buf_put(out, f->bytes.data + x.at, x.len);
}

#endif
