/* sink.c - see sink.h */
#include "sink.h"

#include <stdlib.h>
#include "cleanup.h"
#include "tool.h"
#include "trace_file.h"
#include "util.h"

struct rsd_sink {
	struct rsd_file *file;
	char *side;
	int err;
};

int rsd_sink_code(int err)
{
	if (err && err != RSD_ERR_FORMAT)
		rsd_tool_error("%s", rsd_strerror(err));
	return err ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}

struct rsd_sink *rsd_sink_open(const char *path)
{
	struct rsd_sink *s = rsd_calloc(1, sizeof(*s));
	struct rsd_buf why = RSD_BUF_INIT;

	if (!s || !(s->side = rsd_file_side(path))) {
		rsd_tool_error("out of memory");
		free(s);
		return NULL;
	}
	rsd_cleanup_begin(s->side);
	if (!rsd_file_create(&s->file, path, &why))
		return s;
	rsd_tool_error("%.*s", (int)why.len, why.len ? (char *)why.data : "");
	rsd_buf_release(&why);
	rsd_cleanup_end();
	free(s->side);
	free(s);
	return NULL;
}

int rsd_sink_put(struct rsd_sink *s, struct rsd_buf *b)
{
	if (b->err && !s->err)
		s->err = RSD_ERR_NOMEM;
	if (!s->err && b->len)
		s->err = rsd_file_write(s->file, b->data, b->len);
	rsd_buf_reset(b);
	return s->err;
}

int rsd_sink_close(struct rsd_sink *s, int err)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int code;

	if (!err)
		err = s->err;
	if (err && err != RSD_ERR_IO) {
		rsd_file_abandon(s->file);
		code = rsd_sink_code(err);
	} else { /* what went wrong with the file is told by the file */
		code = rsd_file_commit(s->file, &why) ? RSD_EXIT_ERROR : RSD_EXIT_OK;
		if (code)
			rsd_tool_error("%.*s", (int)why.len, why.len ? (char *)why.data : "");
	}
	rsd_buf_release(&why);
	rsd_cleanup_end();
	free(s->side);
	free(s);
	return code;
}
