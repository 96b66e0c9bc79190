/*
 * config.h - the recording options: record.in's four lines, and the environment that overrides them
 *
 * Works on text and a getenv-like function, so that the runtime and `rsd config`
 * give the same answer and the same complaints. A value that is malformed is reported
 * and keeps what it had before (the default, or record.in's).
 *
 *	record.in	1 output format	2 window	3 request table	4 trace file
 *
 * Blank lines and text from a '#' on are ignored, blanks and tabs around a value too, CR LF
 * ends a line like LF. Lines that are missing at the end leave the default.
 */
#ifndef RSD_CONFIG_H
#define RSD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "buf.h"
#include "stream.h"
#include "trace_file.h"

enum rsd_option {
	RSD_OPT_FORMAT,
	RSD_OPT_WINDOW,
	RSD_OPT_REQUESTS,
	RSD_OPT_FILE, /* record.in's lines 1 to 4 */
	RSD_OPT_STACK,
	RSD_OPT_TIME,
	RSD_OPT_CALLS,
	RSD_OPT_HISTO,
	RSD_OPT_MEMORY,
	RSD_OPT_CHECKPOINT,
	RSD_OPT_SELFCHECK,
	RSD_OPT_VERBOSE,
	RSD_OPT_ON_ERROR,
	RSD_NR_OPTIONS
};

enum rsd_stack_mode { RSD_STACK_FULL, RSD_STACK_SITE, RSD_STACK_OFF };
enum rsd_origin { RSD_FROM_DEFAULT, RSD_FROM_FILE, RSD_FROM_ENVIRONMENT };

struct rsd_config {
	enum rsd_format format;
	int64_t window; /* -1: no limit */
	int64_t requests;
	char *file; /* as written: may contain %p, %d, %j, %% */
	enum rsd_stack_mode stack;
	enum rsd_time_mode time;
	char *calls;	    /* "all", or a list as rsd_config_wants takes it; "" by default */
	double histo;	    /* error percentage; below 0: exact */
	int64_t memory;	    /* MiB; 0: no limit */
	int64_t checkpoint; /* seconds; 0: none */
	bool selfcheck, verbose;
	bool warn; /* go on with defaults where something is malformed */
	struct {
		enum rsd_origin from;
		int line;
	} origin[RSD_NR_OPTIONS];
};

typedef const char *(*rsd_getenv_fn)(const char *name, void *arg);

/* Fills in the defaults. 0 or RSD_ERR_NOMEM. */
int rsd_config_init(struct rsd_config *c);
void rsd_config_release(struct rsd_config *c);
/*
 * Takes record.in's text ('text' NULL: there is none). 'name' is what messages call it.
 * Each problem is a line in 'problems': "record.in:2: 'ten' is no window; allowed: ...".
 * Returns the number of problems, or RSD_ERR_NOMEM.
 */
int rsd_config_file(struct rsd_config *c, const char *name, const char *text, size_t len,
	struct rsd_buf *problems);
/* Takes RECORD_FORMAT ... from the environment; a variable that is set but empty counts as not set. Returns as above. */
int rsd_config_environment(
	struct rsd_config *c, rsd_getenv_fn get, void *arg, struct rsd_buf *problems);
/*
 * A variable RECORD_... that is none of ours, misspelt perhaps, is a line in 'problems': "RECORD_FROMAT: no such option; did
 * you mean RECORD_FORMAT?". Returns the number of them, or RSD_ERR_NOMEM. They change nothing: other programs have variables, too.
 */
int rsd_config_unknown(char *const *environment, struct rsd_buf *problems);
/* The file to read: RECORD_CONFIG's value, or "record.in". Must it exist? (*named) Borrowed from 'get'. */
const char *rsd_config_name(rsd_getenv_fn get, void *arg, bool *named);
/* The batch system's job id, or "nojob". Borrowed from 'get'. */
const char *rsd_config_job(rsd_getenv_fn get, void *arg);

/* The option's variable, a line that says what it is and what is allowed, its value as text. */
const char *rsd_config_variable(enum rsd_option o);
const char *rsd_config_allowed(enum rsd_option o);
void rsd_config_value(const struct rsd_config *c, enum rsd_option o, struct rsd_buf *out);
/* "default", "record.in:2", "environment". */
void rsd_config_origin(
	const struct rsd_config *c, enum rsd_option o, const char *name, struct rsd_buf *out);

/* For messages: "record.in:2", "RECORD_WINDOW", "default". */
void rsd_config_place(
	const struct rsd_config *c, enum rsd_option o, const char *name, struct rsd_buf *out);
/* A line for 'problems' of a run's: the trace file can't be written, for the reason 'why'. */
void rsd_config_bad_file(const struct rsd_config *c, const char *name, const struct rsd_buf *why,
	struct rsd_buf *problems);

/* The trace file's path: %p, %d, %j replaced. 'date' is YYYYMMDD-hhmmss. */
void rsd_config_path(const struct rsd_config *c, int nprocs, const char *date, const char *job,
	struct rsd_buf *out);
/*
 * Is function 'name' recorded? By default all but class local; the items of
 * 'calls' ("all", "+Name", "-Pattern*"; '*' stands for anything) change that in turn.
 */
bool rsd_config_wants(const struct rsd_config *c, const char *name, bool local);
/*
 * An item of RECORD_CALLS that fits none of the functions 'name(i, arg)', i from 0 until NULL, is a problem, told as
 * above. Returns the number of them, or RSD_ERR_NOMEM.
 */
int rsd_config_check_calls(const struct rsd_config *c, const char *(*name)(int i, void *arg),
	void *arg, struct rsd_buf *problems);
/* "all" was asked for: MPI_Pcontrol does not stop recording either. */
bool rsd_config_is_all(const struct rsd_config *c);

/* For handing the options on from one process to all. Decode: 'c' was initialised; 0, RSD_ERR_NOMEM or RSD_ERR_FORMAT. */
void rsd_config_encode(const struct rsd_config *c, struct rsd_buf *out);
int rsd_config_decode(struct rsd_config *c, struct rsd_reader *in);

#endif
