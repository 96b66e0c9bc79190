#include "patterns.h"

#include <stddef.h>

#define STEPS 20
#define DIMS 3

/* ---- calls ---------------------------------------------------------------------- */

static void put_peer(struct rank *r, int peer)
{
	if (peer < 0)
		rank_put_const(r, RSD_K_MPI_PROC_NULL);
	else
		rank_put(r, peer);
}

static void put_envelope(struct rank *r, int peer, int tag)
{
	put_peer(r, peer);
	rank_put(r, tag);
	rank_put_const(r, RSD_K_MPI_COMM_WORLD);
}

/* MPI_Send, or MPI_Isend and MPI_Irecv, which make a request. */
static void message(struct rank *r, int func, int line, int count, int peer, int tag)
{
	rank_call(r, func, line);
	rank_put_message(r, count);
	put_envelope(r, peer, tag);
	if (func != RSD_F_MPI_Send)
		rank_put(r, 0);
	rank_done(r);
}

/* 'from': as asked for, 'sender': who it was, or -1: MPI_STATUS_IGNORE. */
static void receive(struct rank *r, int line, int count, int from, int tag, int sender)
{
	rank_call(r, RSD_F_MPI_Recv, line);
	rank_put_message(r, count);
	if (sender < 0) {
		put_envelope(r, from, tag);
		rank_put(r, RSD_STATUS_IGNORED);
	} else {
		rank_put_const(r, RSD_K_MPI_ANY_SOURCE);
		rank_put(r, tag);
		rank_put_const(r, RSD_K_MPI_COMM_WORLD);
		rank_put(r, RSD_STATUS_KEPT);
		rank_put(r, sender);
		rank_put(r, tag);
		rank_put(r, RSD_ABSENT);
	}
	rank_done(r);
}

static void wait_for_all(struct rank *r, int line, int nr)
{
	rank_call(r, RSD_F_MPI_Waitall, line);
	rank_put(r, nr);
	rank_put(r, nr);
	for (int i = nr - 1; i >= 0; i--)
		rank_put(r, i);
	rank_put(r, nr);
	for (int i = 0; i < nr; i++)
		rank_put(r, RSD_STATUS_IGNORED);
	rank_done(r);
}

static void allreduce(struct rank *r, int line)
{
	rank_call(r, RSD_F_MPI_Allreduce, line);
	rank_put(r, 0);
	rank_put_message(r, 1);
	rank_put_const(r, RSD_K_MPI_MAX);
	rank_put_const(r, RSD_K_MPI_COMM_WORLD);
	rank_done(r);
}

static void split(struct rank *r, int line, int color, int key, int rank, int size)
{
	rank_call(r, RSD_F_MPI_Comm_split, line);
	rank_put_const(r, RSD_K_MPI_COMM_WORLD);
	rank_put(r, color);
	rank_put(r, key);
	rank_put(r, rank_made_comm(r, rank, size));
	rank_done(r);
}

static void broadcast(struct rank *r, int line, int root, int comm)
{
	rank_call(r, RSD_F_MPI_Bcast, line);
	rank_put_message(r, 64);
	rank_put(r, root);
	rank_put(r, comm);
	rank_done(r);
}

/* ---- grids ---------------------------------------------------------------------- */

/* As even as MPI_Dims_create makes them, the largest first. */
static void make_dims(int nprocs, int nr, int *dim)
{
	for (int left = nr; left > 0; left--) {
		int best = nprocs;

		/* The smallest divisor that is no less than the root of what is left. */
		for (int d = 1; d <= nprocs; d++) {
			double all = 1;

			if (nprocs % d)
				continue;
			for (int i = 0; i < left; i++)
				all *= d;
			if (all >= nprocs) {
				best = d;
				break;
			}
		}
		dim[nr - left] = best;
		nprocs /= best;
	}
}

/* The neighbours of a rank, -1 where there is none; two for each dimension. */
static void neighbours(const struct rank *r, int nr, bool wraps, int *out)
{
	static int known, known_nr, dim[DIMS];
	int stride = r->nprocs, rest = r->rank;

	if (known != r->nprocs || known_nr != nr)
		make_dims(r->nprocs, nr, dim);
	known = r->nprocs;
	known_nr = nr;
	for (int i = 0; i < nr; i++) {
		int at;

		stride /= dim[i];
		at = rest / stride;
		rest %= stride;
		out[2 * i] = at > 0 ? r->rank - stride : r->rank + (dim[i] - 1) * stride;
		out[2 * i + 1] = at + 1 < dim[i] ? r->rank + stride : r->rank - at * stride;
		if (!wraps && at == 0)
			out[2 * i] = -1;
		if (!wraps && at + 1 == dim[i])
			out[2 * i + 1] = -1;
	}
}

enum {
	WRAP = 8,
	NO_RANK = 16
}; /* beside the number of dimensions: whoever lacks a neighbour sends to MPI_PROC_NULL */

static void stencil(struct rank *r, int arg)
{
	int nr = arg & 7, next[2 * DIMS];
	bool all = arg & NO_RANK;

	neighbours(r, nr, arg & WRAP, next);
	for (int step = 1; step <= STEPS; step++) {
		int made = 0;

		for (int i = 0; i < 2 * nr; i++)
			if (next[i] >= 0 || all) {
				message(r, RSD_F_MPI_Irecv, 10, 64, next[i], i ^ 1);
				made++;
			}
		for (int i = 0; i < 2 * nr; i++)
			if (next[i] >= 0 || all) {
				message(r, RSD_F_MPI_Isend, 12, 64, next[i], i);
				made++;
			}
		wait_for_all(r, 14, made);
		if (step % 10 == 0)
			allreduce(r, 16);
	}
}

/* The lower and upper triangular sweeps of NPB LU, a pipeline over the planes. */
static void wavefront(struct rank *r, int arg)
{
	int next[4];

	(void)arg;
	neighbours(r, 2, false, next);
	for (int step = 0; step < 5; step++) {
		for (int up = 0; up < 2; up++) {
			for (int k = 0; k < 8; k++) {
				int line = 20 + 10 * up;

				if (next[up] >= 0)
					receive(r, line, 5 * 33, next[up], 10, -1);
				if (next[2 + up] >= 0)
					receive(r, line + 1, 5 * 33, next[2 + up], 11, -1);
				if (next[1 - up] >= 0)
					message(r, RSD_F_MPI_Send, line + 2, 5 * 33, next[1 - up],
						10);
				if (next[3 - up] >= 0)
					message(r, RSD_F_MPI_Send, line + 3, 5 * 33, next[3 - up],
						11);
			}
		}
		allreduce(r, 40);
	}
}

/* Rank 0 hands out work to whoever asks for it. */
static void master(struct rank *r, int arg)
{
	const int rounds = 4;

	(void)arg;
	if (r->rank > 0) {
		for (int i = 0; i < rounds; i++) {
			message(r, RSD_F_MPI_Send, 52, 1, 0, 1);
			receive(r, 53, 128, 0, 2, -1);
		}
		return;
	}
	for (int i = 0; i < rounds; i++)
		for (int worker = 1; worker < r->nprocs; worker++) {
			receive(r, 50, 1, -1, 1, worker);
			message(r, RSD_F_MPI_Send, 51, 128, worker, 2);
		}
}

static void butterfly(struct rank *r, int arg)
{
	(void)arg;
	for (int step = 0; step < STEPS; step++) {
		for (int bit = 1; bit < r->nprocs; bit *= 2) {
			int peer = r->rank ^ bit;

			if (peer >= r->nprocs)
				continue;
			rank_call(r, RSD_F_MPI_Sendrecv, 60);
			rank_put_message(r, 16);
			put_peer(r, peer);
			rank_put(r, 3);
			rank_put_message(r, 16);
			put_envelope(r, peer, 3);
			rank_put(r, RSD_STATUS_IGNORED);
			rank_done(r);
		}
	}
}

/* Peers without any order: what differs between ranks is all there is, and the trace can't but grow with them. */
static void disorder(struct rank *r, int arg)
{
	(void)arg;
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < 3; i++) {
			uint64_t any = rsd_hash_mix((uint64_t)r->rank * 3 + (uint64_t)i);

			message(r, RSD_F_MPI_Send, 90, 16, (int)(any % (uint64_t)r->nprocs), 4);
		}
}

/* Messages of which partner, size and tag follow no rule: neither calls nor ranks repeat each other (bench/irregular.c). */
static void irregular(struct rank *r, int arg)
{
	(void)arg;
	for (int step = 0; step < 2 * STEPS; step++) {
		int made = 0;

		for (int i = 0; i < 32; i++) {
			uint64_t any = rsd_hash_mix(
				((uint64_t)r->rank << 16) + (uint64_t)step * 32 + (uint64_t)i);
			int peer = (int)((any >> 32) % (uint64_t)r->nprocs), tag = any >> 2 & 63;

			if (any % 4 == 0)
				continue;
			if (i < 16)
				message(r, RSD_F_MPI_Irecv, 91, 1024, peer, tag);
			else
				message(r, RSD_F_MPI_Isend, 92, 1 + (int)(any >> 8 & 0xffff) % 1000,
					peer, tag);
			made++;
		}
		wait_for_all(r, 93, made);
	}
}

/* Every rank writes its part of each record of a shared file. */
static void checkpoint(struct rank *r, int arg)
{
	const int64_t part = 4096;

	(void)arg;
	rank_call(r, RSD_F_MPI_File_open, 70);
	rank_put_const(r, RSD_K_MPI_COMM_WORLD);
	rank_put(r, 0); /* the string */
	rank_put(r, 5);
	rank_put_const(r, RSD_K_MPI_INFO_NULL);
	rank_put(r, 0);
	rank_done(r);
	for (int step = 0; step < STEPS; step++) {
		rank_call(r, RSD_F_MPI_File_write_at, 71);
		rank_put(r, 0);
		rank_put(r, 512 + part * (r->rank + (int64_t)step * r->nprocs));
		rank_put_message(r, part / 8);
		rank_put(r, RSD_STATUS_IGNORED);
		rank_done(r);
	}
	rank_call(r, RSD_F_MPI_File_close, 72);
	rank_put(r, 0);
	rank_done(r);
}

/* Panels go along the rows and columns of a grid, each from another root: a matrix product (SUMMA). */
static void panels(struct rank *r, int arg)
{
	int dim[2], row, column;

	(void)arg;
	make_dims(r->nprocs, 2, dim);
	row = r->rank / dim[1];
	column = r->rank % dim[1];
	split(r, 80, row, column, column, dim[1]);
	split(r, 81, column, row, row, dim[0]);
	for (int k = 0; k < STEPS; k++) {
		broadcast(r, 82, k % dim[1], 0);
		broadcast(r, 83, k % dim[0], 1);
	}
}

const struct pattern patterns[] = {
	{ "stencil1d", stencil, 1 },
	{ "stencil1d-wrap", stencil, 1 | WRAP },
	{ "stencil2d", stencil, 2 },
	{ "stencil2d-wrap", stencil, 2 | WRAP },
	{ "stencil3d", stencil, 3 },
	{ "stencil3d-wrap", stencil, 3 | WRAP },
	{ "stencil3d-null", stencil, 3 | NO_RANK },
	{ "wavefront", wavefront, 0 },
	{ "master", master, 0 },
	{ "butterfly", butterfly, 0 },
	{ "io", checkpoint, 0 },
	{ "panels", panels, 0 },
	{ "disorder", disorder, 0 },
	{ "irregular", irregular, 0 },
	{ NULL, NULL, 0 },
};

void pattern_run(const struct pattern *p, struct rank *r)
{
	rank_call(r, RSD_F_MPI_Init, 1);
	rank_done(r);
	rank_call(r, RSD_F_MPI_Comm_rank, 2);
	rank_put_const(r, RSD_K_MPI_COMM_WORLD);
	rank_put(r, r->rank);
	rank_done(r);
	p->run(r, p->arg);
	rank_call(r, RSD_F_MPI_Finalize, 99);
	rank_done(r);
}
