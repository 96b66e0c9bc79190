/*
 * flat.c - events as varints
 *
 * A value is one varint: constants take the odd numbers and plain values the even
 * ones, so that both are short. The few values that this leaves no room for
 * follow an escape.
 */
#include "flat.h"

#include <limits.h>
#include <stdlib.h>

#include "util.h"

#define ESCAPE ((uint64_t)RSD_CONST_MAX << 1 | 1)

static void put_value(struct rsd_buf *log, int64_t v)
{
	uint64_t zigzag = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);

	if (rsd_is_const(v)) {
		rsd_buf_put_uint(log, (uint64_t)rsd_const_index(v) << 1 | 1);
	} else if (zigzag >> 63) {
		rsd_buf_put_uint(log, ESCAPE);
		rsd_buf_put_int(log, v);
	} else {
		rsd_buf_put_uint(log, zigzag << 1);
	}
}

static int64_t get_value(struct rsd_reader *in)
{
	uint64_t u = rsd_reader_uint(in);

	if (u & 1) {
		if (u < ESCAPE)
			return RSD_CONST(u >> 1);
		if (u > ESCAPE)
			in->err = RSD_ERR_FORMAT;
		return rsd_reader_int(in);
	}
	u >>= 1;
	return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

void rsd_flat_put(struct rsd_buf *log, int place, const int64_t *val, size_t nr, uint64_t before_ns,
	uint64_t dur_ns)
{
	size_t start = log->len;

	rsd_assert(place >= 0);
	rsd_buf_put_uint(log, (uint64_t)place);
	rsd_buf_put_uint(log, before_ns);
	rsd_buf_put_uint(log, dur_ns);
	rsd_buf_put_uint(log, nr);
	for (size_t i = 0; i < nr; i++)
		put_value(log, val[i]);
	if (log->err)
		log->len = start; /* half an event would make the whole log unreadable */
}

void rsd_flat_reader_init(struct rsd_flat_reader *r, const void *log, size_t len)
{
	rsd_reader_init(&r->in, log, len);
	r->val = NULL;
	r->alloc = 0;
}

void rsd_flat_reader_release(struct rsd_flat_reader *r)
{
	free(r->val);
	r->val = NULL;
	r->alloc = 0;
}

int rsd_flat_next(struct rsd_flat_reader *r, struct rsd_flat_event *e)
{
	uint64_t place;
	size_t nr;

	if (r->in.err)
		return r->in.err;
	if (r->in.pos >= r->in.len)
		return RSD_ERR_END;

	place = rsd_reader_uint(&r->in);
	e->before_ns = rsd_reader_uint(&r->in);
	e->dur_ns = rsd_reader_uint(&r->in);
	nr = rsd_reader_count(&r->in, 1);
	if (place > INT_MAX || nr > RSD_MAX_VALUES)
		r->in.err = RSD_ERR_FORMAT;
	if (r->in.err)
		return r->in.err;
	if (RSD_GROW(r->val, nr, r->alloc))
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < nr; i++)
		r->val[i] = get_value(&r->in);

	e->place = (int)place;
	e->val = r->val;
	e->nr_val = nr;
	return r->in.err;
}
