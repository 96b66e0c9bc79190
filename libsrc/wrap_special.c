#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrap_special.h"
#include "births.h"
#include "checkpoint.h"
#include "clock.h"
#include "collect.h"
#include "level.h"
#include "modules.h"
#include "options.h"
#include "own_comm.h"
#include "run_note.h"
#include "process_end.h"
#include "runtime.h"
#include "sync.h"
#include "trouble.h"
#include "util.h"

/* The tracer is at work in this thread until rsd_work_end; NULL: it is not to be. */
static struct rsd_thread *work_begin(void)
{
	struct rsd_thread *t = rsd_thread_self();

	if (t)
		t->inside = true;
	return t;
}

/* The first line of what the library says about itself. */
static char *library_version(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int len;

	if (PMPI_Get_library_version(text, &len) != MPI_SUCCESS)
		return NULL;
	for (char *s = text; *s; s++) {
		if (*s == '\t')
			*s = ' ';
	}
	return rsd_strndup(text, strcspn(text, "\n"));
}

static void describe_program(void)
{
	if (!rsd_rt.program)
		rsd_rt.program = rsd_modules_program();
	if (!rsd_rt.library)
		rsd_rt.library = library_version();
}

void rsd_init_pre(void)
{
	int saved_errno = errno;

	rsd_options_before_init();
	rsd_births_before_mpi();
	rsd_signals_ahead_of_mpi();
	errno = saved_errno;
}

void rsd_init_post(int *argc, char ***argv)
{
	int saved_errno = errno, flag = 0, level;
	struct rsd_thread *t = rsd_thread_self();
	bool was_inside = t && t->inside;

	(void)argc;
	(void)argv;
	if (!t || rsd_rt.phase != RSD_BEFORE || PMPI_Initialized(&flag) || !flag)
		return;
	t->inside = true;
	rsd_thread_is_main(t);
	rsd_rt.pid = getpid();
	rsd_run_note(RSD_NOTE_MPI);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rsd_rt.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &rsd_rt.nprocs);
	describe_program();
	rsd_options_init();
	rsd_rt.in_turn =
		!rsd_rt.sessions && !PMPI_Query_thread(&level) && level < MPI_THREAD_MULTIPLE;
	rsd_level_start();
	rsd_sync_start();
	rsd_unshut(RSD_SHUT_OUTSIDE);
	rsd_rt.phase = RSD_RUNNING;
	rsd_watch_signals();
	rsd_checkpoint_start();
	rsd_births_after_mpi();
	t->inside = was_inside;
	errno = saved_errno;
}

void rsd_finalize_pre_at(const void *caller, const void *frame)
{
	int saved_errno = errno;
	struct rsd_thread *t = work_begin();

	if (!t)
		return;
	/* What the application calls now, it calls from inside MPI_Finalize. */
	t->open[0] = (struct rsd_open){
		.frame = frame,
		.caller = caller,
		.start = t->fill,
		.func = rsd_rt.func_finalize,
	};
	__atomic_store_n(&t->depth, 1, __ATOMIC_RELEASE);
	rsd_checkpoint_stop();
	if (rsd_rt.phase == RSD_RUNNING) {
		rsd_sync_end();
		rsd_level_finish();
		rsd_own_comm_free();
		rsd_rt.phase = RSD_HANDED_OVER;
		/* The merge is no time of the application; but where each call's time is kept, it passed. */
		if (!rsd_keeps_all_times())
			t->end = rsd_clock_ticks();
	}
	t->inside = false;
	errno = saved_errno;
}

void rsd_finalize_post(void)
{
	struct rsd_thread *t = rsd_thread_self();

	if (!t)
		return;
	__atomic_store_n(&t->depth, 0, __ATOMIC_RELEASE);
}

/* Out of a signal handler, say, the tracer may be at work in this very thread: then nothing can be done. */
void rsd_abort_pre(void)
{
	struct rsd_thread *t = rsd_thread_self();

	if (!t || t->inside || rsd_rt.phase >= RSD_HANDED_OVER || rsd_is_shut(RSD_SHUT_OUTSIDE))
		return;
	t->inside = true;
	rsd_checkpoint_stop();
	rsd_leave_trace("MPI_Abort", false, true);
	t->inside = false;
}

void rsd_pcontrol(int level)
{
	if (level == 0)
		rsd_shut(RSD_SHUT_PAUSED);
	else if (level == 1)
		rsd_unshut(RSD_SHUT_PAUSED);
}

void rsd_session_seen(void)
{
	/* A session has a thread level of its own. */
	rsd_rt.sessions = true;
	rsd_rt.in_turn = false;
	if (!rsd_is_shut(RSD_SHUT_OUTSIDE))
		return;
	rsd_run_note(RSD_NOTE_MPI);
	rsd_options_alone(true);
	describe_program();
	rsd_unshut(RSD_SHUT_OUTSIDE);
	rsd_watch_signals();
	rsd_checkpoint_start();
	rsd_births_after_mpi();
}

void rsd_init_unseen(void)
{
	int flag = 0;

	if (PMPI_Initialized(&flag) || !flag || PMPI_Finalized(&flag) || flag)
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rsd_rt.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &rsd_rt.nprocs);
	rsd_run_note(RSD_NOTE_MPI);
	describe_program();
	rsd_options_alone(false);
	rsd_unshut(RSD_SHUT_OUTSIDE);
	rsd_trouble("MPI_Init was not seen (the MPI library's Fortran layer may go past the "
		    "tracer); each rank keeps its own trace");
}
