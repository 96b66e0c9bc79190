/*
 * rsd_replay.c - the program rsd-replay: plays a trace on MPI, straight from its loops
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "launch.h"
#include "replay/player.h"
#include "replay/recording.h"
#include "tool.h"
#include "util.h"

static const char help[] =
	"usage: mpiexec -n P rsd-replay [OPTION]... TRACE\n"
	"\n"
	"Issues on every rank the MPI calls that the trace holds, with the same arguments; the\n"
	"contents of messages are invented. P is the trace's number of ranks.\n"
	"\n"
	"  -x, --time-scale=X  computation between calls: X times as long as recorded (1)\n"
	"  -n, --no-compute    none: as --time-scale=0\n"
	"  -s, --sleep         sleep through it instead of being busy\n"
	"  -t, --timeout=S     end the run where a call takes longer, and say which (300; 0: "
	"never)\n"
	"  -r, --record=OUT    record the replay, with the call sites of TRACE\n"
	"  -v, --verify        record it and compare: exit code 1 with the first differences\n"
	"      --scratch=DIR   where files are made that the program opens ($TMPDIR or /tmp);\n"
	"                      deleted at the end\n"
	"  -q, --quiet         print nothing but what could not be played\n"
	"  -h, --help          this text\n"
	"      --version\n"
	"\n"
	"Exit codes: 0 played; 1 with --verify: not everything was, or the traces differ; a call\n"
	"took too long; 2 wrong usage, an unreadable trace, or one that this MPI can't play.\n";

struct options {
	struct rsd_replay_options replay;
	const char *record;
	bool verify;
};

static bool seconds(const char *option, const char *s, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(s, &end);
	if (errno || end == s || *end || !isfinite(*out) || *out < 0) {
		rsd_tool_error("%s '%s': not a number of 0 or more", option, s);
		return false;
	}
	return true;
}

enum { OPT_SCRATCH = 256, OPT_VERSION };

/* Returns -1, or the exit code where there is nothing to play. */
static int read_options(struct options *o, int argc, char **argv)
{
	static const struct option option[] = {
		{ "time-scale", required_argument, NULL, 'x' },
		{ "no-compute", no_argument, NULL, 'n' },
		{ "sleep", no_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ "record", required_argument, NULL, 'r' },
		{ "verify", no_argument, NULL, 'v' },
		{ "scratch", required_argument, NULL, OPT_SCRATCH },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":x:nst:r:vqh", option, NULL)) != -1) {
		if (c == 'h')
			return rsd_tool_help(help);
		if (c == OPT_VERSION)
			return rsd_tool_help("rsd-replay " RSD_VERSION "\n");
		if ((c == 'x' && !seconds("--time-scale", optarg, &o->replay.scale)) ||
			(c == 't' && !seconds("--timeout", optarg, &o->replay.timeout)))
			return RSD_EXIT_ERROR;
		if (c == 'n')
			o->replay.scale = 0;
		else if (c == 's')
			o->replay.sleep = true;
		else if (c == 'r')
			o->record = optarg;
		else if (c == 'v')
			o->verify = true;
		else if (c == OPT_SCRATCH)
			o->replay.scratch = optarg;
		else if (c == 'q')
			o->replay.quiet = true;
		else if (c == '?' || c == ':')
			return rsd_tool_bad_option(c, argv);
	}
	return -1;
}

/*
 * Can this run play that trace? The launcher's word before any MPI call; MPI's own is compared with it
 * later.
 */
static bool fits(const struct rsd_trace *t, const char *path, int nprocs)
{
	if (t->nprocs != nprocs) {
		rsd_tool_error(
			"'%s' is a trace of %d ranks, and this is a run of %d: start it with "
			"mpiexec -n %d",
			path, t->nprocs, nprocs, t->nprocs);
		return false;
	}
	for (int r = 0; r < nprocs; r++) {
		if (rsd_ranks_has(&t->ranks, r))
			continue;
		rsd_tool_error("'%s' has no calls of rank %d: its file is missing", path, r);
		return false;
	}
	if (!t->complete && !rsd_recording_is_on())
		rsd_tool_error("'%s' is incomplete: %s; what it has is played", path,
			t->incomplete_why ? t->incomplete_why : "the run did not end as it should");
	return true;
}

static void end_at_once(int sig)
{
	(void)sig;
	kill(getpid(), SIGKILL);
}

/* A replay that is stopped has no trace worth keeping: the tracer is to write none for us. */
static void end_at_signals(void)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

	for (size_t i = 0; i < RSD_ARRAY_SIZE(ending); i++)
		signal(ending[i], end_at_once);
}

/* Who ends before a rank that speaks has said why may have the launcher end it before that. */
static void let_one_be_heard(int rank)
{
	if (rank)
		rsd_replay_be_heard();
}

static int play(const struct rsd_trace *t, const struct options *o, int rank, int nprocs)
{
	struct rsd_replay r = { .rank = rank, .nprocs = nprocs, .guide = rsd_recording_guide() };
	int code = RSD_EXIT_ERROR;

	rsd_play_recorded = r.guide != NULL;
	if (rsd_replay_init(&r, t, &o->replay)) {
		rsd_tool_be_silent(false);
		code = rsd_replay_run(&r);
	} else {
		let_one_be_heard(rank);
	}
	rsd_replay_release(&r);
	/* Without --verify what was not played is told, and no failure. */
	return code == RSD_EXIT_NO && !o->verify ? RSD_EXIT_OK : code;
}

/* The same, recorded, and compared with the trace where that is asked for. */
static int record(
	const struct rsd_trace *t, const char *path, const struct options *o, int rank, char **argv)
{
	struct rsd_recording rec = { t, path, o->record, o->verify, rank, o->replay.quiet };

	rsd_tool_be_silent(false);
	return rsd_recording_run(&rec, argv);
}

/* Of values that are drawn there is nothing to compare with. */
static bool may_verify(const struct rsd_trace *t, const char *path, bool verify)
{
	if (!verify || !rsd_trace_has_scalars(t))
		return true;
	rsd_tool_error(
		"%s: --verify compares call by call, and the trace is lossy (see rsd check)", path);
	return false;
}

/* The trace, where this run can play it, or NULL. Every rank of a host finds the same; one says it. */
static struct rsd_trace *load(const struct options *o, const char *path, int nprocs)
{
	struct rsd_trace *t = rsd_tool_load_as_is(path);

	if (t && may_verify(t, path, o->verify) &&
		rsd_tool_draw(t, path, o->replay.quiet || rsd_recording_is_on()) &&
		fits(t, path, nprocs))
		return t;
	rsd_trace_free(t);
	return NULL;
}

/* Of the trace each host may have another file, or none. Where nobody tells which ranks share one, it is better said often than not at all. */
static bool speaks(const struct rsd_launch *l)
{
	return l->rank == 0 || l->local <= 0;
}

int main(int argc, char **argv)
{
	struct options o = { .replay = { .scale = 1, .timeout = 300 } };
	struct rsd_launch place = rsd_launch_place(rsd_tool_variable, NULL);
	int rank = place.rank, nprocs = place.nprocs, code;
	struct rsd_trace *t = NULL;
	const char *path = NULL;

	opterr = 0;
	rsd_tool_set_name("rsd-replay");
	rsd_tool_be_silent(!speaks(&place));
	code = read_options(&o, argc, argv);
	if (code < 0)
		path = rsd_tool_operand(argc, argv);
	if (path)
		t = load(&o, path, nprocs);
	if (t && rsd_recording_is_on())
		end_at_signals();
	if (t && (o.record || o.verify) && !rsd_recording_is_on())
		code = record(t, path, &o, rank, argv);
	else if (t)
		code = play(t, &o, rank, nprocs);
	else if (code) {
		code = RSD_EXIT_ERROR;
		let_one_be_heard(rank);
	}
	rsd_trace_free(t);
	return code;
}
