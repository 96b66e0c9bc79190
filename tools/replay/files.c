#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hash.h"
#include "optab.h"
#include "player.h"
#include "steer.h"
#include "util.h"

/* What a file is long that the program read and never asked the size of: sparse, so that reads succeed. */
#define UNKNOWN_SIZE ((int64_t)1 << 30)

struct rsd_files {
	char *folder;
	int64_t size; /* of files that the program found */
};

static bool opens_files(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++) {
		const char *name = t->func[t->place[i].func].name;

		if (!strcmp(name, "MPI_File_open") || !strcmp(name, "MPI_File_delete"))
			return true;
	}
	return false;
}

/* The largest file that MPI_File_get_size told of at this rank. */
static int64_t recorded_size(const struct rsd_replay *r)
{
	const struct rsd_trace *t = r->trace;
	int64_t most = -1;

	for (size_t i = 0; i < t->nr_places; i++) {
		const struct rsd_place *p = &t->place[i];
		struct rsd_column_stats s;
		struct rsd_column *c;
		enum rsd_encoding enc;

		if (strcmp(t->func[p->func].name, "MPI_File_get_size") ||
			t->func[p->func].nr_params != 2 ||
			rsd_params_get(&p->col[1], r->rank, &enc, &c))
			continue;
		rsd_column_stats(c, &s);
		if (s.nr && s.max > most)
			most = s.max;
		rsd_column_free(c);
	}
	return most < 0 ? UNKNOWN_SIZE : most;
}

static char *make_folder(const struct rsd_replay *r)
{
	const char *tmp = getenv("TMPDIR"), *in = r->opt.scratch;
	struct rsd_buf path = RSD_BUF_INIT;

	if (!in)
		in = tmp && *tmp ? tmp : "/tmp";
	rsd_buf_printf(&path, "%s/rsd-replay-XXXXXX", in);
	rsd_buf_put_byte(&path, '\0');
	if (!path.err && mkdtemp((char *)path.data))
		return (char *)path.data;
	rsd_replay_say(r, "cannot make a folder for files in %s (--scratch names another)", in);
	rsd_buf_release(&path);
	return NULL;
}

void rsd_files_start(struct rsd_replay *r)
{
	struct rsd_files *f;
	char *folder = NULL;
	int len = 0;

	if (!opens_files(r->trace))
		return;
	if (r->rank == 0) {
		folder = make_folder(r);
		len = folder ? (int)strlen(folder) : 0;
	}
	PMPI_Bcast(&len, 1, MPI_INT, 0, MPI_COMM_WORLD);
	f = rsd_calloc(1, sizeof(*f));
	if (r->rank)
		folder = rsd_calloc((size_t)len + 1, 1);
	if (!len || !folder || !f)
		rsd_replay_abort();
	PMPI_Bcast(folder, len, MPI_CHAR, 0, MPI_COMM_WORLD);
	f->folder = folder;
	f->size = recorded_size(r);
	r->files = f;
}

static void remove_folder(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

void rsd_files_finish(struct rsd_replay *r)
{
	if (!r->files)
		return;
	PMPI_Barrier(MPI_COMM_WORLD);
	if (r->rank == 0)
		remove_folder(r->files->folder);
	free(r->files->folder);
	free(r->files);
	r->files = NULL;
}

void rsd_files_abandon(const struct rsd_replay *r)
{
	if (r->files)
		remove_folder(r->files->folder);
}

/* A name without folders, legible where it can be, and unlike that of any other file. */
char *rsd_files_path(const struct rsd_replay *r, const char *filename)
{
	const char *base = strrchr(filename, '/');
	struct rsd_buf path = RSD_BUF_INIT;

	base = base ? base + 1 : filename;
	rsd_buf_printf(&path, "%s/%016" PRIx64 "-%.100s", r->files ? r->files->folder : ".",
		rsd_hash_bytes(filename, strlen(filename), 0), base);
	rsd_buf_put_byte(&path, '\0');
	if (path.err) {
		rsd_buf_release(&path);
		return NULL;
	}
	return (char *)path.data;
}

/* Ranks may find that there is no such file at the same time: it comes to be with its length, or not at all. */
void rsd_files_create(const char *path, int64_t len)
{
	struct rsd_buf own = RSD_BUF_INIT;
	int fd = -1;

	if (!access(path, F_OK))
		return;
	rsd_buf_printf(&own, "%s.XXXXXX", path);
	rsd_buf_put_byte(&own, '\0');
	if (!own.err)
		fd = mkstemp((char *)own.data);
	if (fd >= 0) {
		if (ftruncate(fd, (off_t)len))
			perror("rsd-replay: cannot lengthen a file");
		close(fd);
		if (link((char *)own.data, path) && errno != EEXIST)
			perror("rsd-replay: cannot make a file");
		unlink((char *)own.data);
	}
	rsd_buf_release(&own);
}

int rsd_files_prepare(const struct rsd_replay *r, MPI_Comm comm, const char *path, int amode)
{
	int rank, err;

	if ((amode & MPI_MODE_CREATE) && !(amode & MPI_MODE_EXCL))
		return MPI_SUCCESS;
	err = PMPI_Comm_rank(comm, &rank);
	if (err)
		return err;
	if (rank == 0 && (amode & MPI_MODE_EXCL))
		unlink(path);
	else if (rank == 0)
		rsd_files_create(path, r->files ? r->files->size : 0);
	return PMPI_Barrier(comm);
}

/* ---- what is opened and deleted there ------------------------------------------------------------- */

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_File_open);
	char *path = p ? rsd_files_path(p->r, filename) : NULL;
	int err;

	if (!p)
		return REAL(File_open)(comm, filename, amode, info, fh);
	if (!path)
		return MPI_ERR_NO_MEM;
	err = rsd_files_prepare(p->r, comm, path, amode);
	if (!err)
		err = REAL(File_open)(comm, path, amode, info, fh);
	free(path);
	return err;
}

int PMPI_File_delete(const char *filename, MPI_Info info)
{
	struct rsd_play *p = rsd_steered(RSD_F_MPI_File_delete);
	char *path = p ? rsd_files_path(p->r, filename) : NULL;
	int err;

	if (!p)
		return REAL(File_delete)(filename, info);
	if (!path)
		return MPI_ERR_NO_MEM;
	rsd_files_create(path, 0);
	err = REAL(File_delete)(path, info);
	free(path);
	return err;
}
