/*
 * flat.h - events one behind the other, unfolded: what libdump keeps, and the self-check's log
 *
 * A flat log is bytes: per event the place's index, nr of values, the values, as varints. It
 * shares no code with folding and columns, so that it can stand as a witness against them.
 */
#ifndef RSD_FLAT_H
#define RSD_FLAT_H

#include "buf.h"
#include "opstruct.h"

struct rsd_flat_event { /* as logged; places are the stream's */
	int place;
	uint64_t before_ns, dur_ns;
	const int64_t *val; /* belongs to the reader, valid until its next step */
	size_t nr_val;
};

void rsd_flat_put(struct rsd_buf *log, int place, const int64_t *val, size_t nr, uint64_t before_ns,
	uint64_t dur_ns);

struct rsd_flat_reader {
	struct rsd_reader in;
	int64_t *val;
	size_t alloc;
};
void rsd_flat_reader_init(struct rsd_flat_reader *r, const void *log, size_t len);
void rsd_flat_reader_release(struct rsd_flat_reader *r);
int rsd_flat_next(struct rsd_flat_reader *r,
	struct rsd_flat_event *e); /* 0, RSD_ERR_END, RSD_ERR_FORMAT, RSD_ERR_NOMEM */

#endif
