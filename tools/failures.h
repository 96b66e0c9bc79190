/*
 * failures.h - the calls of a trace that returned an error: which, with what, how often and where first
 *
 * From the columns of errors; flat logs are gone through call by call.
 */
#ifndef RSD_FAILURES_H
#define RSD_FAILURES_H

#include "format.h"
#include "trace.h"

struct rsd_failure {
	int func, sig; /* sig: of the first place, in the order in which they were first called */
	int64_t error;
	uint64_t calls;
};

struct rsd_failures {
	const struct rsd_trace *t;
	struct rsd_failure *list; /* one for each function and error, up to a thousand */
	size_t nr, alloc;
	bool more;	/* kinds than are listed */
	uint64_t calls; /* all of them, of kinds that are not listed, too */
};

/* 0 or an error; 'f' is zeroed, and released in any case. */
int rsd_failures_collect(struct rsd_failures *f, const struct rsd_trace *t);
void rsd_failures_release(struct rsd_failures *f);
/* "3 calls returned an error", without a newline. */
void rsd_failures_put_number(const struct rsd_failures *f, struct rsd_buf *out);
/* ": MPI_Send MPI_ERR_RANK 3 times, first at app+0x12; ...", the 'most' most frequent ones. */
void rsd_failures_put_list(
	struct rsd_failures *f, const struct rsd_format *format, size_t most, struct rsd_buf *out);

#endif
