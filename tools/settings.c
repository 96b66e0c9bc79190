/* settings.c - see settings.h */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tool.h"
#include "trace_file.h"
#include "util.h"

#define MAX_CONFIG ((size_t)1 << 20)

/* The text of the options file. 0 with 'text' empty and *there false where there is none. */
static int read_config(const char *name, bool named, struct rsd_buf *text, bool *there)
{
	/* Opening a pipe would wait for somebody to write to it. */
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
	struct stat st;
	char chunk[4096];
	size_t n;
	int code = RSD_EXIT_OK;

	*there = f != NULL;
	if (!f && errno == ENOENT && !named)
		return RSD_EXIT_OK;
	if (!f)
		return rsd_tool_error("cannot open '%s': %s", name, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		code = rsd_tool_error("cannot read '%s': it is a pipe", name);
	while (!code && (n = fread(chunk, 1, sizeof(chunk), f)) > 0 && text->len < MAX_CONFIG)
		rsd_buf_put(text, chunk, n);
	if (!code && ferror(f))
		code = rsd_tool_error("cannot read '%s': %s", name, strerror(errno));
	fclose(f);
	if (!code && text->err)
		code = rsd_tool_error("out of memory");
	return code;
}

int rsd_tool_settings(struct rsd_config *c, const char **name, struct rsd_buf *problems)
{
	struct rsd_buf text = RSD_BUF_INIT;
	bool named, there;
	int code, nr;

	*name = rsd_config_name(rsd_tool_variable, NULL, &named);
	if (rsd_config_init(c))
		return rsd_tool_error("out of memory");
	code = read_config(*name, named, &text, &there);
	if (!code) {
		nr = rsd_config_file(
			c, *name, there ? (const char *)text.data : NULL, text.len, problems);
		if (nr >= 0)
			nr = rsd_config_environment(c, rsd_tool_variable, NULL, problems);
		if (nr < 0)
			code = rsd_tool_error("%s", rsd_strerror(nr));
	}
	rsd_buf_release(&text);
	return code;
}

int rsd_tool_try_file(const struct rsd_config *c, struct rsd_buf *why)
{
	const char *slash = strrchr(c->file, '/'), *percent = strchr(c->file, '%');
	struct rsd_buf path = RSD_BUF_INIT;
	int err;

	if (slash && percent && percent < slash)
		return 0;
	rsd_config_path(c, 0, "date", "job", &path);
	rsd_buf_put_byte(&path, 0);
	err = path.err ? path.err : rsd_file_try((const char *)path.data, why);
	rsd_buf_release(&path);
	return err;
}
