/*
 * How the merge across ranks grows with their number: sizes, time and memory for simulated ranks.
 *
 * The ranks' calls go through what the wrappers call (stream.h), and their traces up the
 * tree of MPI_Finalize; only MPI is not there. What comes out is walked for some ranks and compared
 * with their calls.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "trace_binary.h"
#include "trace_text.h"
#include "tree.h"
#include "util.h"

#define SAMPLES 64

struct options {
	const char *pattern; /* or NULL: all */
	const char *save;
	int ranks; /* or 0: powers of two up to 'most' */
	int most;
};

static size_t binary_size(const struct rsd_trace *t)
{
	struct rsd_buf out = RSD_BUF_INIT;
	struct rsd_binary b;
	size_t len;

	rsd_binary_start(&b, &out);
	rsd_binary_trace(&b, t, &out);
	len = out.len;
	rsd_buf_release(&out);
	return len;
}

static size_t text_size(const struct rsd_trace *t, const char *save)
{
	struct rsd_buf out = RSD_BUF_INIT;
	size_t len;
	FILE *f;

	rsd_text_print(t, &out);
	len = out.len;
	f = save ? fopen(save, "w") : NULL;
	if (f) {
		fwrite(out.data, 1, len, f);
		fclose(f);
	}
	rsd_buf_release(&out);
	return len;
}

/* Are the calls of this rank in the trace, and no others? */
static bool is_kept(const struct pattern *p, const struct rsd_trace *t, int rank)
{
	struct rank r;
	struct rsd_event e;
	bool same;

	rank_init(&r, rank, t->nprocs);
	r.trace = t;
	if (rsd_walk_new(&r.walk, t, rank, 0))
		return false;
	pattern_run(p, &r);
	same = !r.err && rsd_walk_next(r.walk, &e) == RSD_ERR_END;
	rsd_walk_free(r.walk);
	rank_release(&r);
	return same;
}

/* The first and last ranks, and some in between. Returns a rank whose calls are not kept, or -1. */
static int find_lost(const struct pattern *p, const struct rsd_trace *t)
{
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t any = rsd_hash_mix((uint64_t)i) % (uint64_t)t->nprocs;
		int rank = i < 4 ? i : i < 8 ? t->nprocs - i + 3 : (int)any;

		if (rank < t->nprocs && rank >= 0 && !is_kept(p, t, rank))
			return rank;
	}
	return -1;
}

static bool row(const struct pattern *p, int ranks, const char *save)
{
	struct tree_cost cost;
	struct rsd_trace *t = tree_merge(p, ranks, &cost);
	int lost;

	if (!t)
		return false;
	printf("%-16s %8d %8zu %8zu %9.2f %9.0f %8zu %8.2f %8.2f\n", p->name, ranks, binary_size(t),
		text_size(t, save), cost.path * 1e3, (double)cost.peak / 1024, cost.message,
		cost.merging, cost.recording);
	fflush(stdout);
	lost = find_lost(p, t);
	if (lost >= 0)
		fprintf(stderr, "merge_scale: %s: the calls of rank %d are not as they were\n",
			p->name, lost);
	rsd_trace_free(t);
	return lost < 0;
}

static void usage(void)
{
	printf("usage: merge_scale [--pattern NAME] [--ranks N] [--most N] [--full] [--save FILE]\n"
	       "\n"
	       "Merges the traces of simulated ranks as MPI_Finalize does; a row for each number "
	       "of\n"
	       "ranks, 16, 32, ... up to 65536 (--most; --full: 1048576).\n"
	       "\n"
	       "patterns:");
	for (const struct pattern *p = patterns; p->name; p++)
		printf(" %s", p->name);
	printf("\n");
}

static bool read_options(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{ "pattern", required_argument, NULL, 'p' },
		{ "ranks", required_argument, NULL, 'n' },
		{ "most", required_argument, NULL, 'm' },
		{ "full", no_argument, NULL, 'f' },
		{ "save", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 'p')
			o->pattern = optarg;
		else if (c == 'n')
			o->ranks = (int)strtol(optarg, NULL, 10);
		else if (c == 'm')
			o->most = (int)strtol(optarg, NULL, 10);
		else if (c == 'f')
			o->most = 1 << 20;
		else if (c == 's')
			o->save = optarg;
		else
			return false;
	}
	return optind == argc && o->ranks >= 0 && o->most > 0;
}

int main(int argc, char **argv)
{
	struct options o = { .most = 1 << 16 };
	bool good = true;

	if (!read_options(argc, argv, &o)) {
		usage();
		return 2;
	}
	rank_tables_init();
	printf("%-16s %8s %8s %8s %9s %9s %8s %8s %8s\n", "pattern", "ranks", "binary", "rsd",
		"path ms", "peak KiB", "message", "merge s", "record s");
	for (const struct pattern *p = patterns; p->name; p++) {
		if (o.pattern && strcmp(o.pattern, p->name))
			continue;
		if (o.ranks)
			good = row(p, o.ranks, o.save) && good;
		for (int64_t n = 16; !o.ranks && n <= o.most; n *= 2)
			good = row(p, (int)n, o.save) && good;
	}
	rank_tables_release();
	return good ? 0 : 1;
}
