#include "report.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "buf.h"
#include "clock.h"
#include "optable.h"
#include "trace.h"
#include "util.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int rsd_report_init(struct rsd_report *rep)
{
	memset(rep, 0, sizeof(*rep));
	rep->ns = rsd_calloc((size_t)rsd_nr_funcs, sizeof(*rep->ns));
	rep->calls = rsd_calloc((size_t)rsd_nr_funcs, sizeof(*rep->calls));
	rep->recorded = rsd_calloc((size_t)rsd_nr_funcs, sizeof(*rep->recorded));
	return rep->ns && rep->calls && rep->recorded ? 0 : RSD_ERR_NOMEM;
}

static void release_skipped(struct rsd_report *rep)
{
	for (size_t i = 0; i < rep->nr_skipped; i++)
		free(rep->skipped[i].what);
	free(rep->skipped);
	rep->skipped = NULL;
	rep->nr_skipped = rep->alloc_skipped = 0;
}

void rsd_report_release(struct rsd_report *rep)
{
	release_skipped(rep);
	free(rep->ns);
	free(rep->calls);
	free(rep->recorded);
}

void rsd_report_call(struct rsd_report *rep, int func, uint64_t ns)
{
	__atomic_fetch_add(&rep->ns[func], ns, __ATOMIC_RELAXED);
	__atomic_fetch_add(&rep->calls[func], 1, __ATOMIC_RELAXED);
}

void rsd_report_recorded(struct rsd_report *rep, int func, const struct rsd_event *e)
{
	uint64_t end = (uint64_t)(e->begin_ns + e->dur_ns), before = rep->recorded_end;

	__atomic_fetch_add(&rep->recorded[func], (uint64_t)e->dur_ns, __ATOMIC_RELAXED);
	if (end > before)
		__atomic_store_n(&rep->recorded_end, end, __ATOMIC_RELAXED);
}

static void add_skipped(struct rsd_report *rep, const char *what, size_t len, uint64_t nr)
{
	for (size_t i = 0; i < rep->nr_skipped; i++) {
		struct rsd_skipped *s = &rep->skipped[i];

		if (!strncmp(s->what, what, len) && !s->what[len]) {
			s->nr += nr;
			return;
		}
	}
	if (RSD_GROW(rep->skipped, rep->nr_skipped + 1, rep->alloc_skipped))
		return;
	rep->skipped[rep->nr_skipped].what = rsd_strndup(what, len);
	rep->skipped[rep->nr_skipped].nr = nr;
	if (rep->skipped[rep->nr_skipped].what)
		rep->nr_skipped++;
}

void rsd_report_skip(struct rsd_report *rep, const char *func, const char *why)
{
	char what[256];

	snprintf(what, sizeof(what), "%s %s", func, why);
	pthread_mutex_lock(&lock);
	add_skipped(rep, what, strlen(what), 1);
	pthread_mutex_unlock(&lock);
}

/* ---- over all ranks ------------------------------------------------------------------------ */

static void sum_at_root(uint64_t *v, int nr)
{
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		PMPI_Reduce(MPI_IN_PLACE, v, nr, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		PMPI_Reduce(v, NULL, nr, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

static uint64_t most_at_root(uint64_t v)
{
	uint64_t most = v;

	PMPI_Reduce(&v, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	return most;
}

/* The texts of all ranks, as "count text\0", are joined at the root. */
static void join_skipped(struct rsd_report *rep, int rank, int nprocs)
{
	struct rsd_buf mine = RSD_BUF_INIT;
	int *len = NULL, *at = NULL, total = 0, my_len;
	char *all = NULL;

	for (size_t i = 0; i < rep->nr_skipped; i++) {
		rsd_buf_printf(&mine, "%" PRIu64 " %s", rep->skipped[i].nr, rep->skipped[i].what);
		rsd_buf_put_byte(&mine, '\0');
	}
	my_len = mine.err || mine.len > (1 << 20) ? 0 : (int)mine.len;
	if (rank == 0) {
		len = rsd_calloc((size_t)nprocs, sizeof(*len));
		at = rsd_calloc((size_t)nprocs, sizeof(*at));
	}
	PMPI_Gather(&my_len, 1, MPI_INT, len, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < nprocs; i++) {
		at[i] = total;
		total += len[i];
	}
	if (rank == 0)
		all = rsd_malloc((size_t)total + 1);
	PMPI_Gatherv(mine.data, my_len, MPI_CHAR, all, len, at, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		release_skipped(rep);
		for (int i = 0; all && i < total; i += (int)strlen(all + i) + 1) {
			char *end;
			uint64_t nr = strtoull(all + i, &end, 10);

			add_skipped(rep, end + 1, strlen(end + 1), nr);
		}
	}
	free(all);
	free(len);
	free(at);
	rsd_buf_release(&mine);
}

/* ---- printing --------------------------------------------------------------------------------- */

/* Does the trace have times, of each call or as statistics? */
static bool has_times(const struct rsd_report *rep, const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		if (t->place[i].has_timing)
			return true;
	}
	return rep->recorded_end > 0;
}

/* Seconds that the traced run spent in a function, over all ranks. */
static double recorded_time(const struct rsd_report *rep, const struct rsd_trace *t, int func)
{
	double ns = 0;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];

		if (p->has_timing && !strcmp(t->func[p->func].name, rsd_funcs[func].name))
			ns += (double)p->timing.dur.sum + (double)p->timing.dur_first.sum;
	}
	return (ns > 0 ? ns : (double)rep->recorded[func]) / 1e9;
}

/* How long the traced run took from the first call to the last: as an average over the ranks, or of the longest. */
static double recorded_wall(const struct rsd_report *rep, const struct rsd_trace *t)
{
	double ns = 0;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];

		if (p->has_timing && rsd_thread_number(p->thread) == 0)
			ns += (double)p->timing.dur.sum + (double)p->timing.dur_first.sum +
			      (double)p->timing.before.sum;
	}
	return ns > 0 ? ns / 1e9 / t->nprocs : (double)rep->recorded_end / 1e9;
}

struct row {
	const char *name;
	uint64_t calls, ns;
	double recorded; /* s; below 0: not known */
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->name, y->name);
}

/* recorded < 0: not known. */
static void print_row(const char *name, uint64_t calls, double replay, double recorded)
{
	printf("%-28s %14" PRIu64 " %14.6f ", name, calls, replay);
	if (recorded < 0)
		printf("%14s\n", "-");
	else
		printf("%14.6f\n", recorded);
}

static void print_functions(const struct rsd_report *rep, const struct rsd_trace *t, bool timed)
{
	struct row *row = rsd_calloc((size_t)rsd_nr_funcs, sizeof(*row));
	double sum = 0, sum_recorded = timed ? 0 : -1;
	uint64_t calls = 0;
	size_t nr = 0;

	if (!row)
		return;
	for (int i = 0; i < rsd_nr_funcs; i++) {
		if (rep->calls[i])
			row[nr++] = (struct row){ rsd_funcs[i].name, rep->calls[i], rep->ns[i],
				timed ? recorded_time(rep, t, i) : -1 };
	}
	qsort(row, nr, sizeof(*row), by_time);
	printf("\n%-28s %14s %14s %14s\n", "function", "calls", "replay, s", "traced, s");
	for (size_t i = 0; i < nr; i++) {
		print_row(row[i].name, row[i].calls, (double)row[i].ns / 1e9, row[i].recorded);
		calls += row[i].calls;
		sum += (double)row[i].ns / 1e9;
		sum_recorded += timed ? row[i].recorded : 0;
	}
	print_row("in MPI, all ranks", calls, sum, sum_recorded);
	free(row);
}

static uint64_t print_skipped(const struct rsd_report *rep)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rep->nr_skipped; i++) {
		if (i == 0)
			printf("\nnot played:\n");
		printf("%14" PRIu64 "  %s\n", rep->skipped[i].nr, rep->skipped[i].what);
		sum += rep->skipped[i].nr;
	}
	return sum;
}

uint64_t rsd_report_print(
	struct rsd_report *rep, const struct rsd_trace *t, int rank, int nprocs, bool quiet)
{
	uint64_t wall = rsd_replay_clock_ns() - rep->start_ns, sum;

	wall = most_at_root(wall);
	rep->mapped = most_at_root(rep->mapped);
	sum_at_root(rep->ns, rsd_nr_funcs);
	sum_at_root(rep->calls, rsd_nr_funcs);
	sum_at_root(rep->recorded, rsd_nr_funcs);
	rep->recorded_end = most_at_root(rep->recorded_end);
	join_skipped(rep, rank, nprocs);
	if (rank)
		return 0;
	if (!quiet) {
		bool timed = has_times(rep, t);

		printf("replayed on %d ranks in %.6f s", nprocs, (double)wall / 1e9);
		if (timed)
			printf("; the traced run took %.6f s", recorded_wall(rep, t));
		printf("\n");
		print_functions(rep, t, timed);
		printf("\nbuffers: at most %.1f KiB a rank\n", (double)rep->mapped / 1024);
	}
	sum = print_skipped(rep);
	fflush(stdout);
	return sum;
}
