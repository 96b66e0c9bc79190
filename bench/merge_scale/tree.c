#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "merge.h"
#include "radix_tree.h"
#include "transfer.h"
#include "util.h"

struct run {
	const struct pattern *pattern;
	int nprocs;
	struct tree_cost *cost;
};

struct member { /* a rank as it merges */
	struct rsd_trace *trace;
	double done; /* when it has, on the path */
	size_t own;  /* bytes it holds */
	size_t peak;
	double start; /* of the step being measured */
	size_t before;
};

struct message {
	struct rsd_buf bytes;
	double sent;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(struct member *m)
{
	memory_mark();
	m->before = memory_used();
	m->start = now();
}

/* Returns the CPU time since begin(). */
static double end(struct member *m)
{
	double spent = now() - m->start;
	size_t peak = m->own + memory_peak() - m->before;

	if (peak > m->peak)
		m->peak = peak;
	m->own += memory_used() - m->before;
	return spent;
}

static void spend(struct run *run, struct member *m, double t)
{
	m->done += t;
	run->cost->merging += t;
}

/* What happens before and at the beginning of MPI_Finalize. */
static int record(struct run *run, struct member *m, int rank)
{
	struct rank r;

	begin(m);
	rank_init(&r, rank, run->nprocs);
	pattern_run(run->pattern, &r);
	run->cost->recording += end(m);
	begin(m);
	m->trace = rank_collect(&r);
	rank_release(&r);
	spend(run, m, end(m));
	return m->trace ? 0 : RSD_ERR_NOMEM;
}

static int receive(struct run *run, struct member *m, const struct message *from)
{
	struct rsd_trace *other;
	struct rsd_reader in;
	unsigned char *bytes;
	int err;

	if (from->sent > m->done)
		m->done = from->sent;
	begin(m);
	bytes = rsd_malloc(from->bytes.len);
	if (!bytes)
		return RSD_ERR_NOMEM;
	memcpy(bytes, from->bytes.data, from->bytes.len);
	rsd_reader_init(&in, bytes, from->bytes.len);
	err = rsd_trace_decode(&other, &in, NULL);
	free(bytes);
	if (!err)
		err = rsd_merge(m->trace, other);
	spend(run, m, end(m));
	return err;
}

static void send(struct run *run, struct member *m, struct message *out)
{
	begin(m);
	rsd_trace_encode(m->trace, &out->bytes);
	spend(run, m, end(m));
	out->sent = m->done;
	if (out->bytes.len > run->cost->message)
		run->cost->message = out->bytes.len;
	rsd_trace_free(m->trace);
	m->trace = NULL;
}

static int merge_below(struct run *run, int rank, struct member *m, struct message *out)
{
	int child, err = record(run, m, rank);

	for (int k = 0; !err && (child = rsd_radix_child(rank, run->nprocs, k)) >= 0; k++) {
		struct message from = { .bytes = RSD_BUF_INIT };
		struct member other = { 0 };

		err = merge_below(run, child, &other, &from);
		if (!err)
			err = receive(run, m, &from);
		rsd_buf_release(&from.bytes);
		if (err)
			fprintf(stderr, "merge_scale: rank %d with %d: %s\n", rank, child,
				rsd_strerror(err));
	}
	if (!err && out)
		send(run, m, out);
	if (m->peak > run->cost->peak)
		run->cost->peak = m->peak;
	if (err)
		rsd_trace_free(m->trace);
	return err;
}

struct rsd_trace *tree_merge(const struct pattern *p, int nprocs, struct tree_cost *cost)
{
	struct run run = { p, nprocs, cost };
	struct member root = { 0 };

	*cost = (struct tree_cost){ 0 };
	if (merge_below(&run, 0, &root, NULL))
		return NULL;
	begin(&root);
	rsd_merge_settle(root.trace);
	spend(&run, &root, end(&root));
	cost->path = root.done;
	return root.trace;
}
