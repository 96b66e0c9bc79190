#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HAVE_SINGLE_THREADED 1
#endif
#endif

#include "runtime.h"
#include "births.h"
#include "checkpoint.h"
#include "clock.h"
#include "collect.h"
#include "late.h"
#include "level.h"
#include "nesting.h"
#include "options.h"
#include "order.h"
#include "process_end.h"
#include "stranger.h"
#include "trouble.h"
#include "util.h"
#include "where.h"

/* How long the others may take to be done with their present call, in milliseconds. */
#define QUIET_MS 100
/* Values that a thread has room for from the beginning. */
#define FEW_VALUES 64

struct rsd_runtime rsd_rt = { .shut = RSD_SHUT_OUTSIDE }; /* also in a process that forks first */

RSD_PER_THREAD struct rsd_thread *rsd_self;
static enum { UNBORN, ALIVE, DEAD } state;
static pthread_mutex_t birth = PTHREAD_MUTEX_INITIALIZER;

/* ---- lock ----------------------------------------------------------------------- */

bool rsd_lock_of(pthread_mutex_t *lock)
{
#ifdef HAVE_SINGLE_THREADED
	if (__libc_single_threaded)
		return false;
#endif
	pthread_mutex_lock(lock);
	return true;
}

bool rsd_lock(void)
{
	return rsd_lock_of(&rsd_rt.lock);
}

void rsd_unlock(bool locked)
{
	if (locked)
		pthread_mutex_unlock(&rsd_rt.lock);
}

static int make_lock(void)
{
	pthread_mutexattr_t attr;

	if (pthread_mutexattr_init(&attr))
		return RSD_ERR_NOMEM;
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&rsd_rt.lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return 0;
}

void rsd_lock_anew(void)
{
	make_lock();
}

void rsd_thread_stop(struct rsd_thread *t, int err)
{
	if (t->stopped)
		return;
	t->stopped = true;
	rsd_trouble("recording of thread %d stopped: %s", t->number, rsd_strerror(err));
}

/* ---- birth and death --------------------------------------------------------------------- */

bool rsd_keeps_all_times(void)
{
	enum rsd_time_mode mode = rsd_rt.config.time;

	return mode == RSD_TIME_FULL || (rsd_level_is_flat && mode != RSD_TIME_OFF);
}

/* Conversions of handles. */
static bool is_of_c(const char *func)
{
	size_t len = strlen(func);

	return len > 4 && (!strcmp(func + len - 4, "_c2f") || !strcmp(func + len - 4, "_f2c"));
}

static int make_state(void)
{
	struct rsd_runtime *rt = &rsd_rt;

	if (make_lock())
		return RSD_ERR_NOMEM;
	rt->pid = getpid();
	rt->rank = 0;
	rt->nprocs = 1;
	rt->mask = 022;
	rt->func_session_init = rt->func_cancel = rt->func_finalize = -1;
	rsd_births_before_mpi();
	rsd_sigs_init(&rt->sigs);
	rt->wanted = rsd_calloc((size_t)rsd_nr_funcs, sizeof(*rt->wanted));
	if (!rt->wanted || rsd_handles_init() || rsd_options_early())
		return RSD_ERR_NOMEM;
	rsd_clock_start(true, rsd_keeps_all_times());
	for (int i = 0; i < rsd_nr_funcs; i++) {
		if (is_of_c(rsd_funcs[i].name))
			rt->wanted[i] |= RSD_OF_C;
		if (!strcmp(rsd_funcs[i].name, "MPI_Finalize"))
			rt->func_finalize = i;
		if (!strcmp(rsd_funcs[i].name, "MPI_Session_init"))
			rt->func_session_init = i;
		else if (!strcmp(rsd_funcs[i].name, "MPI_Cancel"))
			rt->func_cancel = i;
		else
			continue;
		rt->wanted[i] |= RSD_SPECIAL;
	}
	return 0;
}

static bool be_born(void)
{
	int err;

	rsd_late_bind();
	if (rsd_stranger_came())
		return false;
	err = make_state();
	if (err)
		rsd_report("nothing is recorded: out of memory");
	return !err;
}

int rsd_thread_values(struct rsd_thread *t, size_t nr)
{
	int err = RSD_GROW(t->val, nr, t->alloc_val);

	t->val_end = t->val + (t->alloc_val < RSD_MAX_VALUES ? t->alloc_val : RSD_MAX_VALUES);
	return err;
}

static struct rsd_thread *new_thread(int earlier)
{
	struct rsd_thread *t = rsd_calloc(1, sizeof(*t));
	int number = t && !rsd_thread_values(t, FEW_VALUES) ? rsd_births_number(earlier) : -1;

	if (number < 0) {
		if (t)
			free(t->val);
		free(t);
		return NULL;
	}
	rsd_stream_init(&t->stream, rsd_funcs, rsd_rt.config.window);
	rsd_requests_init(&t->requests);
	t->number = number;
	t->end = t->begin = rsd_rt.config.time == RSD_TIME_OFF ? 0 : rsd_clock_ticks();
	/* Some look without the lock: what they find is whole. */
	__atomic_store_n(rsd_rt.last ? &rsd_rt.last->next : &rsd_rt.threads, t, __ATOMIC_RELEASE);
	__atomic_store_n(&rsd_rt.last, t, __ATOMIC_RELEASE);
	return t;
}

/* At the first call of a thread; of the process, too. */
struct rsd_thread *rsd_thread_first_call(void)
{
	struct rsd_thread *t = NULL;
	int saved_errno = errno;

	pthread_mutex_lock(&birth);
	if (state == UNBORN) {
		state = be_born() ? ALIVE : DEAD;
	}
	if (state == ALIVE && rsd_rt.phase != RSD_OVER) {
		int earlier = rsd_births_earlier();
		bool locked = rsd_lock();

		t = new_thread(earlier);
		if (t)
			rsd_order_begins(t);
		rsd_unlock(locked);
	}
	pthread_mutex_unlock(&birth);
	if (!t && state == ALIVE && rsd_rt.phase != RSD_OVER)
		rsd_trouble("no memory to record another thread");
	if (t)
		t->error = &errno;
	rsd_self = t;
	errno = saved_errno;
	return t;
}

/* Under the lock. On no memory it keeps the one that it has. */
static void give_number(struct rsd_thread *t, int number)
{
	if (rsd_births_take(number))
		return;
	for (struct rsd_thread *other = rsd_rt.threads; other; other = other->next) {
		if (other->number == number)
			other->number = t->number;
	}
	t->number = number;
}

void rsd_thread_is_main(struct rsd_thread *t)
{
	bool locked = rsd_lock();

	if (!t->numbered)
		give_number(t, 0);
	rsd_unlock(locked);
}

void rsd_thread_set_number(struct rsd_thread *t, int number)
{
	bool locked;

	if (number < 0 || number >= RSD_AFTER)
		return;
	locked = rsd_lock();
	give_number(t, number);
	t->numbered = true;
	rsd_unlock(locked);
}

/* A child that is forked has its parent's trace in memory, but it is not its to write. */
static void in_child(void)
{
	if (!rsd_is_shut(RSD_SHUT_OUTSIDE))
		rsd_over();
	rsd_rt.pid = getpid();
	rsd_checkpoint_forget();
}

bool rsd_others_are_quiet(void)
{
	bool quiet = true;

	for (struct rsd_thread *t = rsd_thread_first(); t; t = rsd_thread_next(t))
		quiet &= t == rsd_self || !__atomic_load_n(&t->inside, __ATOMIC_SEQ_CST) ||
			 __atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST);
	return quiet;
}

void rsd_quiet_others(void)
{
	const struct timespec tick = { 0, 1000000 };
	bool busy = false;

	for (struct rsd_thread *t = rsd_thread_first(); t; t = rsd_thread_next(t)) {
		busy |= t != rsd_self;
		if (t != rsd_self)
			__atomic_store_n(&t->stopped, true, __ATOMIC_SEQ_CST);
	}
	/* Once at least: one of them may have begun just before it could see that it is stopped. */
	for (int ms = 0; busy && ms < QUIET_MS; ms++) {
		nanosleep(&tick, NULL);
		busy = !rsd_others_are_quiet();
	}
}

void rsd_leave_trace(const char *why, bool asked, bool in_child)
{
	char text[RSD_WHERE];

	rsd_quiet_others();
	rsd_where(why, asked, text);
	if (in_child)
		rsd_write_in_child(rsd_write_at_exit, text);
	else
		rsd_write_at_exit(text);
	rsd_over();
}

/* 'exits': the frame of who exits in good order; NULL: nothing is known of the stack. */
static void process_ends(const char *why, const void *exits, bool is_writer)
{
	struct rsd_thread *t = rsd_self;
	bool settle = t && exits && !t->inside;

	if (state != ALIVE || rsd_rt.phase == RSD_OVER || rsd_rt.pid != getpid())
		return;
	if (t)
		t->inside = true;
	rsd_checkpoint_stop();
	if (settle)
		rsd_nesting_settle(t, exits);
	rsd_leave_trace(why, is_writer, !is_writer && rsd_rt.phase == RSD_RUNNING);
}

void rsd_process_ends(const char *why, bool is_writer)
{
	process_ends(why, NULL, is_writer);
}

/* Runs as late as possible: programs call MPI_Finalize from their own exit handlers and destructors. */
__attribute__((destructor(101))) static void at_exit(void)
{
	process_ends("no MPI_Finalize", __builtin_frame_address(0), false);
}

__attribute__((constructor)) static void at_load(void)
{
	rsd_clock_load();
	pthread_atfork(NULL, NULL, in_child);
}
