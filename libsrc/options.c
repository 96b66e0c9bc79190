#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "collect.h"
#include "launch.h"
#include "level.h"
#include "runtime.h"
#include "trouble.h"
#include "util.h"

#define MAX_FILE (1 << 20) /* of record.in */
#define FIRST_MESSAGE 4096 /* what all ranks surely receive of the options; the rest follows */

extern char **environ;

static char *directory; /* that the program started in, or NULL */
static bool spawned;	/* by another program's MPI_Comm_spawn; known to who decides the path */
static bool apart;	/* of several that a launcher started each has a world of its own */
static struct rsd_launch launch = { .variable = "" }; /* then */

const char *rsd_options_variable(const char *name, void *unused)
{
	(void)unused;
	return getenv(name);
}

static void apply(void)
{
	struct rsd_runtime *rt = &rsd_rt;

	for (int i = 0; i < rsd_nr_funcs; i++) {
		bool wanted = rsd_config_wants(
			&rt->config, rsd_funcs[i].name, rsd_funcs[i].class == RSD_C_LOCAL);

		rt->wanted[i] =
			(uint8_t)((rt->wanted[i] & ~RSD_WANTED) | (wanted ? RSD_WANTED : 0));
	}
	rt->all = rsd_config_is_all(&rt->config);
	for (struct rsd_thread *t = rt->threads; t; t = t->next)
		t->stream.queue.window = rt->config.window;
}

int rsd_options_early(void)
{
	struct rsd_buf ignored = RSD_BUF_INIT;
	int err = rsd_config_init(&rsd_rt.config);

	if (!err)
		err = rsd_config_environment(&rsd_rt.config, rsd_options_variable, NULL, &ignored);
	rsd_buf_release(&ignored);
	if (err < 0)
		return err;
	apply();
	return 0;
}

static void remember_directory(void)
{
	for (size_t alloc = 256; alloc <= (1 << 20); alloc *= 2) {
		char *p = rsd_realloc(directory, alloc);

		if (!p)
			break;
		directory = p;
		if (getcwd(directory, alloc))
			return;
		if (errno != ERANGE)
			break;
	}
	free(directory);
	directory = NULL;
}

/* The program may go elsewhere before MPI_Init. Here it has not begun yet, and is to find errno as it always is. */
__attribute__((constructor)) static void at_start(void)
{
	int saved_errno = errno;

	remember_directory();
	errno = saved_errno;
}

void rsd_options_before_init(void)
{
	if (!directory)
		remember_directory();
	rsd_rt.mask = umask(0);
	umask(rsd_rt.mask);
}

/* A relative path is one in the directory that the program started in. */
static void put_from_start(const char *path, size_t len, struct rsd_buf *out)
{
	if (len && path[0] != '/' && directory)
		rsd_buf_printf(out, "%s/", directory);
	rsd_buf_put(out, path, len);
}

/* Reads a small file whole. 0, or an error with errno set. */
static int read_file(const char *name, struct rsd_buf *out)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), saved;
	unsigned char part[4096];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return RSD_ERR_IO;
	/* A pipe would be empty, or have whatever its writer has written by now. */
	if (fstat(fd, &st) || S_ISFIFO(st.st_mode)) {
		errno = ESPIPE;
		n = -1;
	}
	while (n >= 0 && (n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0 && out->len + (size_t)n > MAX_FILE) {
			errno = EFBIG;
			n = -1;
		}
		if (n < 0)
			break;
		rsd_buf_put(out, part, (size_t)n);
	}
	saved = errno;
	close(fd);
	errno = saved;
	return n < 0 ? RSD_ERR_IO : out->err;
}

static const char *function_name(int i, void *arg)
{
	(void)arg;
	return i < rsd_nr_funcs ? rsd_funcs[i].name : NULL;
}

/* Beside a device, /dev/null say, there is nothing to write. */
static bool is_device(struct rsd_buf *path)
{
	struct stat st;
	bool is;

	rsd_buf_put_byte(path, '\0');
	if (path->err)
		return false;
	is = !stat((const char *)path->data, &st) && S_ISCHR(st.st_mode);
	path->len--;
	return is;
}

/*
 * What a program has spawned is a world of its own, with the program's options and folder: its trace is another one. The
 * process of its rank 0 tells it from others that were spawned; where the ranks can't agree, each one's own. Processes that a launcher
 * started together, but MPI did not, would all write the same trace.
 */
static void put_path(const struct rsd_config *c, struct rsd_buf *out)
{
	struct rsd_buf path = RSD_BUF_INIT;

	rsd_config_path(
		c, rsd_rt.nprocs, rsd_rt.date, rsd_config_job(rsd_options_variable, NULL), &path);
	put_from_start((const char *)path.data, path.len, out);
	if (spawned && !is_device(out))
		rsd_buf_printf(out, ".spawned-%ld", (long)getpid());
	if (apart && launch.rank && !is_device(out))
		rsd_buf_printf(out, ".started-%d", launch.rank);
	if (path.err)
		out->err = RSD_ERR_NOMEM;
	rsd_buf_release(&path);
}

static int use_default_file(struct rsd_config *c)
{
	struct rsd_config other;
	char *file;

	if (rsd_config_init(&other))
		return RSD_ERR_NOMEM;
	file = c->file;
	c->file = other.file;
	other.file = file;
	c->origin[RSD_OPT_FILE].from = RSD_FROM_DEFAULT;
	rsd_config_release(&other);
	return 0;
}

/*
 * A trace that can't be written is better told now than after the run. Takes the default instead. 1 if so, 0 or an
 * error. What a rank writes beside this file is in the same folder.
 */
static int check_file(struct rsd_config *c, struct rsd_buf *problems)
{
	struct rsd_buf path = RSD_BUF_INIT, why = RSD_BUF_INIT;
	int err = RSD_ERR_NOMEM;
	bool named;

	put_path(c, &path);
	rsd_buf_put_byte(&path, '\0');
	if (!path.err)
		err = rsd_file_try((const char *)path.data, &why);
	if (err == RSD_ERR_IO) {
		rsd_config_bad_file(
			c, rsd_config_name(rsd_options_variable, NULL, &named), &why, problems);
		err = why.err ? why.err : use_default_file(c);
		err = err ? err : 1;
	}
	rsd_buf_release(&path);
	rsd_buf_release(&why);
	return err;
}

/*
 * Where each rank writes a file of its own, the folder may be missing on some hosts only. Each one tries; the first
 * that can't tells, and the run ends, or goes on without the traces of those.
 */
static bool ranks_can_write(void)
{
	char *path = rsd_collect_path();
	struct rsd_buf why = RSD_BUF_INIT;
	bool fails = path && rsd_file_try(path, &why) == RSD_ERR_IO;
	int mine = fails ? rsd_rt.rank : rsd_rt.nprocs, first = mine;

	PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (fails && first == rsd_rt.rank)
		rsd_say("rank %d: %.*s", rsd_rt.rank, (int)why.len,
			why.len ? (const char *)why.data : "");
	rsd_buf_release(&why);
	free(path);
	return first == rsd_rt.nprocs;
}

/* Reads record.in and the environment. What is wrong is told in 'problems', a line each. */
static int read_options(struct rsd_config *c, struct rsd_buf *problems)
{
	struct rsd_buf text = RSD_BUF_INIT;
	bool named;
	const char *name = rsd_config_name(rsd_options_variable, NULL, &named);
	struct rsd_buf path = RSD_BUF_INIT;
	int err, nr = 0;

	put_from_start(name, strlen(name) + 1, &path);
	err = path.err ? path.err : read_file((const char *)path.data, &text);
	if (err == RSD_ERR_IO && (named || errno != ENOENT)) {
		rsd_buf_printf(problems, "%s%s%s cannot be read: %s; allowed: a file of 4 lines\n",
			named ? "RECORD_CONFIG: '" : "", name, named ? "'" : ":",
			errno == ESPIPE ? "it is a pipe" : strerror(errno));
		nr = 1;
	} else if (!err) {
		nr = rsd_config_file(c, name, (const char *)text.data, text.len, problems);
	}
	rsd_buf_release(&path);
	rsd_buf_release(&text);
	if (nr < 0)
		return nr;
	err = rsd_config_environment(c, rsd_options_variable, NULL, problems);
	if (err < 0)
		return err;
	nr += err;
	err = rsd_config_check_calls(c, function_name, NULL, problems);
	if (err < 0)
		return err;
	nr += err;
	err = check_file(c, problems);
	return err < 0 ? err : nr + err;
}

static void tell(const struct rsd_buf *problems)
{
	size_t pos = 0;

	while (pos < problems->len) {
		const unsigned char *nl = memchr(problems->data + pos, '\n', problems->len - pos);
		size_t end = nl ? (size_t)(nl - problems->data) : problems->len;

		rsd_say("%.*s", (int)(end - pos), (const char *)problems->data + pos);
		pos = end + 1;
	}
}

/* Takes what rank 0 has made: options, path, date. */
static int take(const void *data, size_t len)
{
	struct rsd_config c = { .file = NULL };
	enum rsd_time_mode time = rsd_rt.config.time;
	struct rsd_reader in;
	const char *path, *date;
	size_t path_len, date_len;
	int err = rsd_config_init(&c);

	rsd_reader_init(&in, data, len);
	if (!err)
		err = rsd_config_decode(&c, &in);
	path = rsd_reader_str(&in, &path_len);
	date = rsd_reader_str(&in, &date_len);
	if (err || in.err) {
		rsd_config_release(&c);
		return err ? err : in.err;
	}
	rsd_config_release(&rsd_rt.config);
	rsd_rt.config = c;
	rsd_rt.aligns = !rsd_rt.alone && rsd_keeps_all_times();
	/* Events before MPI_Init had this rank's; a place has times of all of its calls, or of none. */
	if (rsd_rt.threads && rsd_rt.threads->nr_events)
		rsd_rt.config.time = time;
	free(rsd_rt.path);
	free(rsd_rt.date);
	rsd_rt.path = rsd_strndup(path, path_len);
	rsd_rt.date = rsd_strndup(date, date_len);
	apply();
	return rsd_rt.path && rsd_rt.date ? 0 : RSD_ERR_NOMEM;
}

static void set_date(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[32];
	size_t len =
		localtime_r(&now, &tm) ? strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm) : 0;

	free(rsd_rt.date);
	rsd_rt.date = rsd_strndup(date, len);
}

/* mpiexec of one MPI starts a program of another as many programs of one process. One of them tells it. */
static void tell_apart(struct rsd_buf *path)
{
	const char *library = rsd_rt.library ? rsd_rt.library : "?";
	struct rsd_buf traces = RSD_BUF_INIT;

	if (!apart || launch.rank)
		return;
	if (!is_device(path))
		rsd_buf_printf(&traces, ": %s, and %s.started-RANK of the others",
			(const char *)path->data, (const char *)path->data);
	rsd_say("%d processes were started (%s), but each is alone in its MPI_COMM_WORLD: is "
		"mpiexec that of another MPI than the program's, %.*s? Each has a trace of its "
		"own%.*s",
		launch.nprocs, launch.variable, (int)strcspn(library, ","), library,
		(int)traces.len, traces.len ? (const char *)traces.data : "");
	rsd_buf_release(&traces);
}

/* Reads, tells what is wrong, and packs the result. False: the program is not to go on. */
static bool prepare(struct rsd_buf *out, bool aloud)
{
	struct rsd_buf problems = RSD_BUF_INIT, unknown = RSD_BUF_INIT, path = RSD_BUF_INIT;
	struct rsd_config c;
	int nr = rsd_config_init(&c), err;
	bool go_on;

	set_date();
	if (!nr)
		nr = read_options(&c, &problems);
	if (nr >= 0 && (err = rsd_config_unknown(environ, &unknown)) < 0)
		nr = err;
	if (aloud) {
		tell(&unknown);
		tell(&problems);
	}
	if (nr < 0)
		rsd_say("options: %s", rsd_strerror(nr));
	go_on = !nr || c.warn;
	if (aloud && nr && go_on)
		rsd_say("going on with the default%s", nr == 1 ? "" : "s");
	/* The self-check is of what is exact. */
	if (go_on && c.histo > 0 && c.selfcheck) {
		if (aloud)
			rsd_say("RECORD_SELFCHECK: everything is recorded exactly, and "
				"RECORD_HISTO "
				"is off");
		c.histo = -1;
	}
	rsd_config_encode(&c, out);
	put_path(&c, &path);
	if (!path.err)
		tell_apart(&path);
	rsd_buf_put_str(out, (const char *)path.data, path.len);
	if (path.err)
		out->err = path.err;
	rsd_buf_release(&path);
	rsd_buf_put_str(out, rsd_rt.date, rsd_rt.date ? strlen(rsd_rt.date) : 0);
	rsd_buf_release(&unknown);
	rsd_buf_release(&problems);
	rsd_config_release(&c);
	return go_on;
}

/* Ends the run. What was said goes through mpiexec, which stops reading when it hears of the end. */
static void end_run(void)
{
	const struct timespec a_moment = { .tv_nsec = 200 * 1000 * 1000 };

	nanosleep(&a_moment, NULL);
	PMPI_Abort(MPI_COMM_WORLD, 1);
}

static bool is_spawned(void)
{
	MPI_Comm parent;

	return !RSD_RANKS_LOADED && !PMPI_Comm_get_parent(&parent) && parent != MPI_COMM_NULL;
}

/* MPI can be asked. */
static void find_others(void)
{
	spawned = is_spawned();
	apart = !RSD_RANKS_LOADED && !spawned && rsd_rt.nprocs == 1 &&
		rsd_launch_differs(&launch, 1, rsd_options_variable, NULL);
}

void rsd_options_init(void)
{
	unsigned char first[FIRST_MESSAGE + 8] = { 0 };
	struct rsd_buf message = RSD_BUF_INIT;
	uint64_t len;

	rsd_rt.alone = false;
	if (rsd_rt.rank == 0) {
		find_others();
		if (!prepare(&message, true))
			end_run();
		len = message.err ? 0 : message.len;
		memcpy(first, &len, 8);
		if (len)
			memcpy(first + 8, message.data, len < FIRST_MESSAGE ? len : FIRST_MESSAGE);
	}
	PMPI_Bcast(first, sizeof(first), MPI_BYTE, 0, MPI_COMM_WORLD);
	memcpy(&len, first, 8);
	if (rsd_rt.rank)
		rsd_buf_put(&message, first + 8, len < FIRST_MESSAGE ? len : FIRST_MESSAGE);
	if (len > FIRST_MESSAGE) {
		unsigned char *rest = rsd_malloc(len - FIRST_MESSAGE);

		if (!rest) {
			rsd_say("options: %s", rsd_strerror(RSD_ERR_NOMEM));
			end_run();
		}
		if (rsd_rt.rank == 0)
			memcpy(rest, message.data + FIRST_MESSAGE, len - FIRST_MESSAGE);
		PMPI_Bcast(rest, (int)(len - FIRST_MESSAGE), MPI_BYTE, 0, MPI_COMM_WORLD);
		if (rsd_rt.rank)
			rsd_buf_put(&message, rest, len - FIRST_MESSAGE);
		free(rest);
	}
	if (message.err || take(message.data, message.len))
		rsd_trouble("no memory for the options");
	rsd_buf_release(&message);
	if (!rsd_level_is_global && !ranks_can_write() && !rsd_rt.config.warn)
		end_run();
}

void rsd_options_origin(enum rsd_option o, struct rsd_buf *out)
{
	bool named;

	rsd_config_place(
		&rsd_rt.config, o, rsd_config_name(rsd_options_variable, NULL, &named), out);
}

static void guess_rank(void)
{
	struct rsd_launch l = rsd_launch_guess(rsd_options_variable, NULL);

	rsd_rt.rank = l.rank;
	rsd_rt.nprocs = l.nprocs;
}

/* As far as the launcher tells, as MPI can't be asked yet: MPICH's, Open MPI's. */
static bool is_said_to_be_spawned(void)
{
	const char *told = getenv("PMI_SPAWNED");

	return (told && *told && strcmp(told, "0")) || getenv("OMPI_PARENT_PORT");
}

void rsd_options_alone(bool guess)
{
	struct rsd_buf message = RSD_BUF_INIT;

	rsd_options_before_init();
	rsd_rt.alone = true;
	if (guess) {
		guess_rank();
		spawned = is_said_to_be_spawned();
	} else {
		find_others();
	}
	prepare(&message, rsd_rt.rank == 0);
	if (message.err || take(message.data, message.len))
		rsd_trouble("no memory for the options");
	rsd_buf_release(&message);
}
