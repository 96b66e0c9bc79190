#include <stdlib.h>

#include "level.h"
#include "collect.h"
#include "flat.h"
#include "util.h"

#define BLOCK (1 << 16)		/* bytes of events that a thread collects before they go to the file */

const char rsd_level_name[] = "dump";
const bool rsd_level_is_global = false;

/* Under the runtime's lock. */
static struct rsd_flat_file *file;
static bool failed;

/* Opens the file at the first block, so that a run that fails early leaves the old one. */
static int open_file(void)
{
	struct rsd_stream_context ctx = rsd_collect_context();
	struct rsd_buf why = RSD_BUF_INIT;
	char *path;
	int err;

	if (file || failed)
		return failed ? RSD_ERR_IO : 0;
	path = rsd_collect_path();
	err = path ? rsd_flat_file_begin(&file, path, rsd_rt.config.format, &ctx, &why) : RSD_ERR_NOMEM;
	failed = err != 0;
	if (failed)
		rsd_report("%.*s", (int)why.len, why.len ? (const char *)why.data : rsd_strerror(err));
	rsd_buf_release(&why);
	free(path);
	return err;
}

/* What can't be written is dropped: memory is not to grow with it. */
static int flush(struct rsd_thread *t)
{
	int err = open_file();

	if (!err)
		err = rsd_flat_file_block(file, t->number, &t->stream, t->log.data, t->log.len);
	rsd_buf_reset(&t->log);
	return err;
}

int rsd_level_event(struct rsd_thread *t, int place, const int64_t *val, size_t nr,
	uint64_t before_ns, uint64_t dur_ns)
{
	bool locked;

	rsd_flat_put(&t->log, place, val, nr, before_ns, dur_ns);
	if (t->log.err)
		return t->log.err;
	/* Before MPI_Init it is not known where the file is to be. */
	if (t->log.len < BLOCK || rsd_rt.phase == RSD_BEFORE)
		return 0;
	locked = rsd_lock();
	flush(t);	/* a failure is told at the end, once */
	rsd_unlock(locked);
	return 0;
}

static int finish(void)
{
	struct rsd_buf why = RSD_BUF_INIT;
	bool locked = rsd_lock();
	int err = open_file();

	for (struct rsd_thread *t = rsd_rt.threads; t && !err; t = t->next) {
		if (t->log.len)
			err = flush(t);
		/* What comes after is recorded as on every level. */
		rsd_stream_release(&t->stream);
		rsd_stream_init(&t->stream, rsd_funcs, rsd_rt.config.window);
		t->nr_events = 0;
	}
	if (file) {
		if (rsd_collect_meta(rsd_flat_file_trace(file)))
			rsd_trouble("no memory for the tables of the trace");
		err = rsd_flat_file_finish(file, &why);
		if (err)
			rsd_report("%.*s", (int)why.len, why.len ? (const char *)why.data : rsd_strerror(err));
		file = NULL;
		rsd_rt.written = !err;
	}
	rsd_unlock(locked);
	rsd_buf_release(&why);
	return err;
}

int rsd_level_finish(void)
{
	return finish();
}

void rsd_level_rescue(const char *why)
{
	if (why)
		rsd_trouble("%s", why);
	finish();
}
