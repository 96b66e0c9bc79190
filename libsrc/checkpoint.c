/* unshare, close_range, syscall */
#define _GNU_SOURCE
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "collect.h"
#include "level.h"
#include "trace_file.h"
#include "trouble.h"
#include "util.h"
#include "where.h"

#define STACK ((size_t)2 << 20)
#define SECOND UINT64_C(1000000000)
#define NAP 50000 /* ns between two looks at what is waited for */
#define HOLD_MOST                                                                                  \
	(SECOND /                                                                                  \
		5) /* a thread may be inside the tracer for that long, writing to a slow disk, say */
#define STOP_MOST (10 * SECOND)
#define PAUSE 10 /* times as long as a checkpoint took there is none */

/* Commands of membarrier(2). */
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static uint32_t quit; /* a futex */
static bool started, working;
static bool barrier; /* membarrier is there */
static bool wrote;   /* FILE.<rank> is of this run */
static bool told;    /* of a failure */
static char *path;
static uint64_t begin; /* ns */

static void nap(uint64_t ns)
{
	nanosleep(&(struct timespec){ .tv_sec = (time_t)(ns / SECOND),
			  .tv_nsec = (long)(ns % SECOND) },
		NULL);
}

static bool is_quit(void)
{
	return __atomic_load_n(&quit, __ATOMIC_SEQ_CST) != 0;
}

/* ---- the gate ---------------------------------------------------------------------------- */

void rsd_checkpoint_wait(struct rsd_thread *t)
{
	int saved_errno = errno;

	do {
		__atomic_store_n(&t->waiting, true, __ATOMIC_SEQ_CST);
		while (rsd_is_shut(RSD_SHUT_HELD))
			nap(NAP);
		__atomic_store_n(&t->waiting, false, __ATOMIC_SEQ_CST);
	} while (rsd_is_shut(RSD_SHUT_HELD));
	errno = saved_errno;
}

/* Threads that set 'inside' before they could see that they are held: from now on their 'inside' is seen. */
static void order_the_others(void)
{
#ifdef SYS_membarrier
	if (barrier && !syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0))
		return;
#endif
	nap(SECOND / 1000); /* longer than a store takes */
}

static bool is_quiet(void)
{
	bool locked = rsd_lock(), quiet = rsd_others_are_quiet();

	rsd_unlock(locked);
	return quiet;
}

static void let_go(void)
{
	rsd_unshut(RSD_SHUT_HELD);
}

/* No thread records from now on, until let_go(). False: one was busy for too long; they are not held. */
static bool hold(void)
{
	rsd_shut(RSD_SHUT_HELD);
	order_the_others();
	for (uint64_t ns = 0; ns < HOLD_MOST && !is_quit(); ns += NAP) {
		if (is_quiet())
			return true;
		nap(NAP);
	}
	let_go();
	return false;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void so_far_release(struct rsd_so_far *s)
{
	rsd_trace_free(s->trace);
	free(s->name);
	rsd_buf_release(&s->rest);
}

/* The program's stderr is not among this thread's descriptors. */
static void tell(const char *text, size_t len)
{
	int fd;

	if (told)
		return;
	told = true;
	fd = open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO)
		rsd_report(
			"no checkpoint could be written (RECORD_CHECKPOINT): %.*s", (int)len, text);
	if (fd >= 0 && fd != STDERR_FILENO)
		close(fd);
	close(STDERR_FILENO);
}

static int copy_file(const struct rsd_so_far *s, struct rsd_file *f)
{
	int fd = open(s->name, O_RDONLY | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return RSD_ERR_IO;
	if (s->ino && (fstat(fd, &st) || st.st_dev != s->dev || st.st_ino != s->ino))
		err = RSD_ERR_IO;
	else
		err = rsd_file_copy(f, fd, s->len);
	close(fd);
	return err;
}

static int put(struct rsd_so_far *s, struct rsd_file *f, struct rsd_buf *why)
{
	struct rsd_buf section = RSD_BUF_INIT;
	int err = 0;

	if (s->trace) {
		rsd_trace_round_times(s->trace);
		err = rsd_trace_section(s->trace, rsd_rt.config.format, &section, why);
	}
	if (!err)
		rsd_file_write(f, section.data, section.len);
	rsd_buf_release(&section);
	if (!err && s->name)
		err = copy_file(s, f);
	if (!err)
		rsd_file_write(f, s->rest.data, s->rest.len);
	return err;
}

static void write_down(struct rsd_so_far *s)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_file *f;
	int err = rsd_file_create_early(&f, path, &why);

	if (!err) {
		err = put(s, f, &why);
		if (err || is_quit())
			rsd_file_abandon(f);
		else
			err = rsd_file_commit(f, &why);
		if (!err && !is_quit())
			__atomic_store_n(&wrote, true, __ATOMIC_SEQ_CST);
	}
	if (err && !why.len)
		rsd_buf_printf(&why, "%s", rsd_strerror(err));
	if (err)
		tell((const char *)why.data, why.len);
	rsd_buf_release(&why);
}

/* When this is, and how long after MPI_Init. */
static void put_reason(char *out, size_t len)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[32];

	if (!localtime_r(&now, &tm) || !strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm))
		date[0] = 0;
	snprintf(out, len, "killed, or not ended; checkpoint of %s, %.1f s after MPI_Init", date,
		(double)(rsd_clock_ns() - begin) * 1e-9);
}

/* False: it could not be made now, but may be soon. */
static bool make_checkpoint(void)
{
	struct rsd_so_far s = { .rest = RSD_BUF_INIT };
	char when[160], why[RSD_WHERE];
	bool locked;
	int err;

	put_reason(when, sizeof(when));
	if (!hold())
		return false;
	rsd_where(when, true, why);
	locked = rsd_lock();
	err = rsd_level_so_far(&s, why);
	rsd_unlock(locked);
	let_go();
	if (!err)
		write_down(&s);
	else if (err != RSD_ERR_END)
		tell(rsd_strerror(err), strlen(rsd_strerror(err)));
	so_far_release(&s);
	return true;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/*
 * What the program opens and closes is not to change by what is opened here, and what it closes is to be closed, as
 * the end of a pipe. The umask goes with the working directory.
 */
static void leave_descriptors(void)
{
	if (!unshare(CLONE_FS))
		umask(rsd_rt.mask);
	if (unshare(CLONE_FILES))
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 0u, ~0u, 0u))
		return;
#endif
	for (long fd = 0, end = sysconf(_SC_OPEN_MAX); fd < end && fd < 1 << 20; fd++)
		close((int)fd);
}

static void pause_for(uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };

	if (!is_quit())
		syscall(SYS_futex, &quit, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
}

static void *work(void *arg)
{
	const uint64_t period = (uint64_t)rsd_rt.config.checkpoint * SECOND;

	(void)arg;
	leave_descriptors();
	while (!is_quit()) {
		uint64_t from = rsd_clock_ns(), next;
		bool made;

		__atomic_store_n(&working, true, __ATOMIC_SEQ_CST);
		made = !is_quit() && make_checkpoint();
		__atomic_store_n(&working, false, __ATOMIC_SEQ_CST);
		next = made ? from + period : 0;
		from = rsd_clock_ns() - from;
		if (made && period < PAUSE * from)
			next += PAUSE * from - period;
		for (uint64_t now; made && !is_quit() && (now = rsd_clock_ns()) < next;)
			pause_for(next - now);
		if (!made)
			pause_for(SECOND / 10);
	}
	return NULL;
}

static int start_thread(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t id;
	int error = pthread_attr_init(&attr);

	if (error)
		return error;
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&id, &attr, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

void rsd_checkpoint_start(void)
{
	struct stat st;

	if (!rsd_rt.config.checkpoint || started)
		return;
	if (RSD_RANKS_LOADED) {
		if (rsd_rt.rank == 0)
			rsd_say("RECORD_CHECKPOINT: not where ranks share a process; no "
				"checkpoints");
		return;
	}
	path = rsd_collect_path();
	if (!path || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return;
	begin = rsd_clock_ns();
#ifdef SYS_membarrier
	barrier = !syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0);
#endif
	started = !start_thread();
	if (!started)
		rsd_report("no thread for checkpoints (RECORD_CHECKPOINT) could be started; there "
			   "are none");
}

void rsd_checkpoint_stop(void)
{
	int saved_errno = errno;

	if (!started)
		return;
	__atomic_store_n(&quit, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &quit, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	for (uint64_t ns = 0; ns < STOP_MOST && __atomic_load_n(&working, __ATOMIC_SEQ_CST);
		ns += NAP)
		nap(NAP);
	errno = saved_errno;
}

void rsd_checkpoint_forget(void)
{
	started = working = false;
	rsd_unshut(RSD_SHUT_HELD);
}

void rsd_checkpoint_remove(void)
{
	if (path && __atomic_load_n(&wrote, __ATOMIC_SEQ_CST))
		unlink(path);
}
