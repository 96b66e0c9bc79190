/* RTLD_DEFAULT */
#define _GNU_SOURCE
#include "recording.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "compare.h"
#include "left_out.h"
#include "map.h"
#include "preload.h"
#include "tool.h"
#include "util.h"

#define MARK "RSD_REPLAY_IS_RECORDED"

bool rsd_recording_is_on(void)
{
	return getenv(MARK) != NULL;
}

const struct rsd_guide *rsd_recording_guide(void)
{
	const struct rsd_guide *g = dlsym(RTLD_DEFAULT, RSD_GUIDE_NAME);

	return g && g->version == RSD_GUIDE_VERSION ? g : NULL;
}

/* ---- the environment of the process that plays -------------------------------------------- */

static bool set(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0)
		return true;
	rsd_tool_error("cannot set %s: %s", name, strerror(errno));
	return false;
}

/* The functions that are in the trace, and no others; "all" does not heed MPI_Pcontrol either. */
static bool set_calls(const struct rsd_trace *t)
{
	const char *calls = rsd_trace_get_meta(t, "calls");
	struct rsd_buf list = RSD_BUF_INIT;
	bool ok;

	if (calls && strcmp(calls, "all") == 0)
		return set("RECORD_CALLS", calls);
	rsd_buf_printf(&list, "-*");
	for (size_t i = 0; i < t->nr_funcs; i++)
		rsd_buf_printf(&list, ",+%s", t->func[i].name);
	rsd_buf_put_byte(&list, 0);
	ok = rsd_tool_set_variable("RECORD_CALLS", &list);
	rsd_buf_release(&list);
	return ok;
}

/* Whatever the user's own options are: those that the comparison needs. */
static bool set_options(const struct rsd_recording *rec, const char *output)
{
	static const char *const none[] = { "RECORD_SELFCHECK", "RECORD_CHECKPOINT",
		"RECORD_ON_ERROR", "RECORD_VERBOSE" };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(none); i++)
		unsetenv(none[i]);
	return rsd_tool_set_path("RECORD_FILE", output) &&
	       set("RECORD_FORMAT", rec->output ? "rsd" : "binary") && set("RECORD_WINDOW", "-1") &&
	       set("RECORD_REQUESTS", "1048576") &&
	       set("RECORD_STACK", rec->trace->sigs.nr_sigs ? "full" : "off") &&
	       set("RECORD_TIME", "stats") && set("RECORD_HISTO", "off") && set_calls(rec->trace) &&
	       set(MARK, "1") && rsd_tool_preload("glob", NULL);
}

static void start(const struct rsd_recording *rec, const char *output, char **argv)
{
	/* Killed by the launcher, we take the process that plays with us. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!set_options(rec, output))
		_exit(RSD_EXIT_ERROR);
	execv("/proc/self/exe", argv);
	rsd_tool_error("cannot start itself: %s", strerror(errno));
	_exit(RSD_EXIT_ERROR);
}

/* ---- after it ---------------------------------------------------------------------------------- */

/* What ends this process has to end the one that plays first, and takes the files along. */
static void signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* With those blocked: the exit code of a child; 2 where a signal ended it, or us. */
static int wait_for(pid_t pid)
{
	bool stopped = false;
	sigset_t set;
	int status, got;

	signals(&set);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (sigwait(&set, &got) || got == SIGCHLD)
			continue;
		stopped = true;
		kill(pid, SIGKILL);
	}
	if (stopped)
		return RSD_EXIT_ERROR;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	rsd_tool_error("the replay was ended by signal %d", WTERMSIG(status));
	return RSD_EXIT_ERROR;
}

/* A rank's file beside the output; NULL: no memory. The caller frees it. */
static char *file_beside(const char *output, const char *what, int rank)
{
	struct rsd_buf path = RSD_BUF_INIT;

	rsd_buf_printf(&path, "%s.%s%d", output, what, rank);
	rsd_buf_put_byte(&path, 0);
	if (!path.err)
		return (char *)path.data;
	rsd_buf_release(&path);
	return NULL;
}

/* What a rank that has not come to its end leaves. */
static void remove_part(const char *output, int rank)
{
	char *path = file_beside(output, "", rank);

	if (path)
		unlink(path);
	free(path);
}

/*
 * What ranks record after MPI_Finalize they add to the file when they end. Where the trace has such
 * calls, each says that it has ended by a file beside the output, and rank 0 waits for those.
 */
#define ENDED_WITHIN_MS 10000

static void say_ended(const char *output, int rank)
{
	char *path = file_beside(output, "ended.", rank);
	int fd = path ? open(path, O_WRONLY | O_CREAT, 0600) : -1;

	if (fd >= 0)
		close(fd);
	free(path);
}

static void await_ends(const char *output, int nprocs, int left_ms)
{
	const struct timespec tick = { 0, 10000000 };

	for (int rank = 1; rank < nprocs; rank++) {
		char *path = file_beside(output, "ended.", rank);

		while (path && unlink(path) && errno == ENOENT && left_ms > 0) {
			nanosleep(&tick, NULL);
			left_ms -= 10;
		}
		free(path);
	}
}

struct unplayed { /* what the replay does not make is not missed */
	const struct rsd_trace *trace;
	int *func; /* by the trace's function index: index in rsd_funcs */
};

static bool is_unplayed(const struct rsd_event *e, void *arg)
{
	const struct unplayed *u = arg;

	return u->func[e->func] < 0 || rsd_left_out(u->trace, e, u->func[e->func]);
}

/* Whether a stand-in is called is up to MPI. What was not made, the replay has told. */
static bool is_nested(const struct rsd_event *e, void *arg)
{
	(void)arg;
	return e->nested > 0;
}

static int compare(const struct rsd_recording *rec, const char *output)
{
	const struct rsd_trace *t = rec->trace;
	struct unplayed u = { t, rsd_calloc(t->nr_funcs + 1, sizeof(*u.func)) };
	struct rsd_compare_options o = {
		.rank = -1, .max = 10, .leave_out = is_unplayed, .may_lack = is_nested, .arg = &u
	};
	int code;

	if (!u.func)
		return rsd_tool_error("out of memory");
	for (size_t i = 0; i < t->nr_funcs; i++)
		u.func[i] = rsd_replay_find_func(t->func[i].name);
	code = rsd_compare(rec->path, output, &o);
	free(u.func);
	return code;
}

/* The same at every rank of a node: what ranks record after MPI_Finalize is added to one file. */
static char *temporary_file(void)
{
	const char *tmp = getenv("TMPDIR");
	struct rsd_buf path = RSD_BUF_INIT;

	rsd_buf_printf(&path, "%s/rsd-replay-%ld-%ld.rsd", tmp && *tmp ? tmp : "/tmp",
		(long)getuid(), (long)getppid());
	rsd_buf_put_byte(&path, 0);
	if (!path.err)
		return (char *)path.data;
	rsd_buf_release(&path);
	return NULL;
}

/* 'played': the exit code of the replay. What there is to say of both, and the exit code. */
static int judge(const struct rsd_recording *rec, const char *output, int played)
{
	int differ;

	/* A replay that took too long has no trace. */
	if (access(output, R_OK) && played != RSD_EXIT_OK)
		return played;
	differ = compare(rec, output);
	if (!rec->quiet && differ == RSD_EXIT_OK && played == RSD_EXIT_OK)
		printf("\nequal: the trace of the replay is the trace\n");
	else if (!rec->quiet && differ == RSD_EXIT_OK)
		printf("\nequal, but for the calls that were not played\n");
	else if (!rec->quiet && differ == RSD_EXIT_NO)
		printf("\nnot equal: < is the trace, > the trace of the replay\n");
	return differ > played ? differ : played;
}

int rsd_recording_run(const struct rsd_recording *rec, char **argv)
{
	char *made = rec->output ? NULL : temporary_file();
	const char *output = rec->output ? rec->output : made;
	int code = RSD_EXIT_ERROR;
	sigset_t set, before;
	pid_t pid;

	if (!output)
		return rsd_tool_error("out of memory");
	fflush(NULL);
	signal(SIGCHLD, SIG_DFL);
	signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		start(rec, output, argv);
	}
	if (pid < 0)
		rsd_tool_error("cannot start a process: %s", strerror(errno));
	else
		code = wait_for(pid);
	if (rec->verify && rsd_has_late_calls(rec->trace)) {
		if (rec->rank)
			say_ended(output, rec->rank);
		else
			await_ends(output, rec->trace->nprocs,
				code == RSD_EXIT_ERROR ? 0 : ENDED_WITHIN_MS);
	}
	if (rec->verify && rec->rank == 0 && code != RSD_EXIT_ERROR)
		code = judge(rec, output, code);
	if (made) {
		remove_part(made, rec->rank);
		if (rec->rank == 0)
			unlink(made);
	}
	free(made);
	return code;
}
