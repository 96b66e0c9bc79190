/* syscall */
#define _GNU_SOURCE
#include "births.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include "ranks.h"
#include "trace.h"
#include "util.h"

/* A thread is how far its id is behind that of the process's first; ids that began anew at the lowest are the later ones. */
struct ages {
	uint32_t *age;
	size_t nr, alloc;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these */
static struct ages known;	   /* sorted: threads that were told a number; ids may come again */
static struct ages before, others; /* sorted: alive before MPI started; not the program's */
static bool *taken;		   /* by number */
static size_t nr_taken, alloc_taken;

static uint32_t age_of(long id)
{
	return (uint32_t)(id - getpid());
}

static int add(struct ages *a, uint32_t x)
{
	if (RSD_GROW(a->age, a->nr + 1, a->alloc))
		return RSD_ERR_NOMEM;
	a->age[a->nr++] = x;
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

/* How many are less than x. */
static size_t count_below(const struct ages *sorted, uint32_t x)
{
	size_t lo = 0, hi = sorted->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted->age[mid] < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool has(const struct ages *sorted, uint32_t x)
{
	size_t at = count_below(sorted, x);

	return at < sorted->nr && sorted->age[at] == x;
}

/* Mostly at the end, as ids ascend. */
static void add_sorted(struct ages *a, uint32_t x)
{
	size_t at = count_below(a, x);

	if (add(a, x))
		return;
	memmove(&a->age[at + 1], &a->age[at], (a->nr - 1 - at) * sizeof(*a->age));
	a->age[at] = x;
}

/* All threads that there are, sorted; none where that can't be known. */
static void look(struct ages *out)
{
	DIR *d = RSD_RANKS_LOADED ? NULL : opendir("/proc/self/task");
	struct dirent *entry;
	int saved_errno = errno;

	out->nr = 0;
	while (d && (entry = readdir(d))) {
		long id = strtol(entry->d_name, NULL, 10);

		if (id > 0 && add(out, age_of(id)))
			break;
	}
	if (d)
		closedir(d);
	if (out->nr)
		qsort(out->age, out->nr, sizeof(*out->age), compare);
	errno = saved_errno;
}

void rsd_births_before_mpi(void)
{
	pthread_mutex_lock(&lock);
	look(&before);
	pthread_mutex_unlock(&lock);
}

void rsd_births_after_mpi(void)
{
	struct ages now = { NULL, 0, 0 };

	pthread_mutex_lock(&lock);
	look(&now);
	for (size_t i = 0; i < now.nr; i++) {
		/* Told a number: it has called MPI. On no memory it is counted. */
		if (!has(&known, now.age[i]) && !has(&before, now.age[i]))
			add(&others, now.age[i]);
	}
	free(now.age);
	if (others.nr)
		qsort(others.age, others.nr, sizeof(*others.age), compare);
	pthread_mutex_unlock(&lock);
}

int rsd_births_earlier(void)
{
	uint32_t self = age_of(syscall(SYS_gettid));
	struct ages alive = { NULL, 0, 0 };
	size_t nr = 0;

	pthread_mutex_lock(&lock);
	if (self)
		look(&alive);
	if (has(&alive, self)) {
		nr = count_below(&known, self);
		for (size_t i = 0; i < alive.nr && alive.age[i] < self; i++) {
			nr += !has(&others, alive.age[i]);
			nr -= count_below(&known, alive.age[i] + 1) -
			      count_below(&known, alive.age[i]);
		}
	}
	free(alive.age);
	add_sorted(&known, self);
	pthread_mutex_unlock(&lock);
	return nr < RSD_AFTER ? (int)nr : 0;
}

int rsd_births_take(int number)
{
	if (RSD_GROW(taken, (size_t)number + 1, alloc_taken))
		return RSD_ERR_NOMEM;
	while (nr_taken <= (size_t)number)
		taken[nr_taken++] = false;
	taken[number] = true;
	return 0;
}

int rsd_births_number(int wanted)
{
	int number = wanted;

	while ((size_t)number < nr_taken && taken[number])
		number++;
	return rsd_births_take(number) ? -1 : number;
}

int rsd_births_bound(void)
{
	return (int)nr_taken;
}
