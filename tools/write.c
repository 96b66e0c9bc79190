#include "write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cleanup.h"
#include "loss.h"
#include "tool.h"
#include "util.h"

static const char *const known[] = {
	[RSD_FORMAT_RSD] = "rsd",
	[RSD_FORMAT_ASCII] = "ascii",
	[RSD_FORMAT_BINARY] = "binary",
};

bool rsd_write_is_format(const char *name, enum rsd_format *out)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(known); i++) {
		if (strcmp(known[i], name) == 0) {
			*out = (enum rsd_format)i;
			return true;
		}
	}
	return false;
}

bool rsd_write_format(const char *name, enum rsd_format *out)
{
	if (rsd_write_is_format(name, out))
		return true;
	rsd_tool_error("--to '%s': not rsd, binary or ascii", name);
	return false;
}

bool rsd_write_may_replace(const char *path, const char *output, enum rsd_format format)
{
	struct stat st;

	return (format != RSD_FORMAT_ASCII && !stat(path, &st)) || rsd_tool_is_other(path, output);
}

int rsd_write_trace(const struct rsd_trace *t, const char *path, enum rsd_format format)
{
	struct rsd_buf why = RSD_BUF_INIT;
	char *side = rsd_file_side(path);
	int err;

	if (!side)
		return rsd_tool_error("out of memory");
	rsd_cleanup_begin(side);
	err = rsd_trace_write(t, path, format, &why);
	rsd_cleanup_end();
	free(side);
	if (err && why.len)
		rsd_tool_error("%.*s", (int)why.len, (const char *)why.data);
	else if (err)
		rsd_tool_error("cannot write '%s': %s", path, rsd_strerror(err));
	else
		rsd_loss_tell(t, known[format], path);
	rsd_buf_release(&why);
	return err ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}
