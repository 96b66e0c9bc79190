/*
 * tool.h - what the commands of rsd share: messages, options, loading, output, progress
 *
 * Exit codes: 0 fine, 1 the thing asked about is not so, 2 usage, unreadable
 * input or failed output. Messages go to stderr as "rsd print: what is wrong".
 */
#ifndef RSD_TOOL_H
#define RSD_TOOL_H

#include <getopt.h>
#include <stdbool.h>
#include "buf.h"
#include "trace.h"
#include "walk.h"

#define RSD_VERSION "0.1"

enum { RSD_EXIT_OK = 0, RSD_EXIT_NO = 1, RSD_EXIT_ERROR = 2 };

/* Every command: argv[0] is its own name. Returns the exit code. */
int rsd_cmd_print(int argc, char **argv);
int rsd_cmd_stats(int argc, char **argv);
int rsd_cmd_report(int argc, char **argv);
int rsd_cmd_diff(int argc, char **argv);
int rsd_cmd_check(int argc, char **argv);
int rsd_cmd_config(int argc, char **argv);
int rsd_cmd_merge(int argc, char **argv);
int rsd_cmd_resolve(int argc, char **argv);
int rsd_cmd_convert(int argc, char **argv);
int rsd_cmd_run(int argc, char **argv);
int rsd_cmd_profile(int argc, char **argv);
int rsd_cmd_codegen(int argc, char **argv);
int rsd_cmd_addr2line(int argc, char **argv);

/* ---- messages ---------------------------------------------------------------- */
/* The name that messages begin with, "rsd print"; borrowed. */
void rsd_tool_set_name(const char *name);
/* From now on messages are not printed, or printed again: of what all ranks find alike one speaks. */
void rsd_tool_be_silent(bool silent);
/* Prints "NAME: text" on stderr, with nothing in it that a terminal would obey; returns RSD_EXIT_ERROR. */
int rsd_tool_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * For what getopt_long returned as ':' or '?' (opterr is 0, the option string
 * begins with ':'): says which option is unknown or lacks its argument.
 */
int rsd_tool_bad_option(int c, char **argv);
/* The environment, as config.h and launch.h ask for it. */
const char *rsd_tool_variable(const char *name, void *unused);
/* Prints a help text on stdout; returns the exit code. */
int rsd_tool_help(const char *text);
/* The whole of 's' as a number of min..max; says so in a message and returns false where it is
 * none. */
bool rsd_tool_number(const char *option, const char *s, int64_t min, int64_t max, int64_t *out);

/* ---- traces ------------------------------------------------------------------ */
/*
 * The trace at 'path', or NULL after a message. Freed with rsd_trace_free. Where numbers are kept as histograms (ScalarParam.h)
 * this says so, and values are drawn; 'shown': columns say what is in them; 'as_is': to be written again.
 */
struct rsd_trace *rsd_tool_load(const char *path);
struct rsd_trace *rsd_tool_load_shown(const char *path);
struct rsd_trace *rsd_tool_load_as_is(const char *path);
/* Draws; false after a message. 'quiet': does not say that it did. */
bool rsd_tool_draw(struct rsd_trace *t, const char *path, bool quiet);
/* The single operand after the options, or NULL after a message. */
const char *rsd_tool_operand(int argc, char **argv);
/*
 * False after a message where 'output' is the file of the trace itself, or one of its files: for commands whose output has less than the
 * trace, which would be lost.
 */
bool rsd_tool_is_other(const char *path, const char *output);
/* RECORD_CALLS of the run where it kept functions from being recorded, or NULL. */
const char *rsd_tool_not_recorded(const struct rsd_trace *t);
/* False after a message where 'rank' (>= 0) is not in the trace. */
bool rsd_tool_has_rank(const struct rsd_trace *t, const char *path, int64_t rank);

/*
 * Says why the columns of a trace's places could not be gone through: in a trace that was damaged they need not fit the numbers that ranks
 * have for them. Returns RSD_EXIT_ERROR.
 */
int rsd_tool_places_failed(const struct rsd_trace *t, int err);
/* What went wrong with a walk, which may not have come into being: 'err' in words. */
const char *rsd_tool_walk_error(const struct rsd_walk *w, int err);
/* Says it, of a walk of the rank's calls: "FILE: rank 3: what". Returns RSD_EXIT_ERROR. */
int rsd_tool_walk_failed(const struct rsd_trace *t, int rank, const struct rsd_walk *w, int err);
/*
 * Appends the folder of the libraries, 0-terminated: ../lib from this program's, and from bin/MPI ../../lib/MPI. False after a
 * message.
 */
bool rsd_tool_lib_dir(struct rsd_buf *out);

/* Why there are none, where only a place's times, of all ranks together, were kept. */
#define RSD_NO_RANK_TIMES "times by rank need RECORD_TIME=full"

/* ---- standard output ---------------------------------------------------------- */
struct rsd_out {
	struct rsd_buf buf;
	int err; /* errno of the first failed write: nothing is written any more */
};
#define RSD_OUT_INIT ((struct rsd_out){ RSD_BUF_INIT, 0 })

/* Writes what has gathered in 'buf' once it is large. False after a failure: stop producing. */
bool rsd_out_more(struct rsd_out *o);
/* Writes the rest and releases. 'code', or RSD_EXIT_ERROR where output failed (a closed pipe is not
 * commented on). */
int rsd_out_end(struct rsd_out *o, int code);

/* ---- progress, on stderr where that is a terminal ------------------------------- */
struct rsd_progress {
	const char *what;
	uint64_t total, done, next;
	int64_t last_ms;
	bool on, shown;
};
void rsd_progress_begin(struct rsd_progress *p, const char *what, uint64_t total);
void rsd_progress_step(struct rsd_progress *p, uint64_t by);
void rsd_progress_end(struct rsd_progress *p);

#endif
