/* page.c - the page (page.html with its styles, scripts and charts in it, linked in) and the document */
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "tool.h"
#include "trace_file.h"
#include "util.h"

/* What the linker calls the bytes of the file page (see Makefile). */
extern const char _binary_page_start[], _binary_page_end[];

static const char mark[] = "@document@";

/*
 * Inside a script element nothing but "<" matters: "</script" ends it, and "<!--" changes what does. As all of them are in
 * strings, JSON has another way to write them.
 */
static int write_escaped(const char *s, size_t len, void *file)
{
	size_t from = 0;

	/* Errors of writing are kept, and told by the commit. */
	for (size_t i = 0; i < len; i++) {
		if (s[i] != '<')
			continue;
		rsd_file_write(file, s + from, i - from);
		rsd_file_write(file, "\\u003c", 6);
		from = i + 1;
	}
	rsd_file_write(file, s + from, len - from);
	return 0;
}

static const char *find_mark(void)
{
	const char *p = _binary_page_start, *end = _binary_page_end;

	while ((p = memchr(p, '@', (size_t)(end - p))) != NULL) {
		if ((size_t)(end - p) >= strlen(mark) && !memcmp(p, mark, strlen(mark)))
			return p;
		p++;
	}
	return NULL;
}

bool report_page_try(const char *path)
{
	struct rsd_buf why = RSD_BUF_INIT;
	int err = rsd_file_try(path, &why);

	if (err)
		rsd_tool_error("%.*s", (int)why.len, why.len ? (const char *)why.data : "");
	rsd_buf_release(&why);
	return !err;
}

static int write_page(json_t *document, const char *path, struct rsd_buf *why)
{
	const char *at = find_mark(), *rest;
	struct rsd_file *f;
	int err = rsd_file_create(&f, path, why);

	if (err)
		return err;
	rsd_assert(at);
	rest = at + strlen(mark);
	rsd_file_write(f, _binary_page_start, (size_t)(at - _binary_page_start));
	if (json_dump_callback(document, write_escaped, f, JSON_COMPACT) == 0) {
		rsd_file_write(f, rest, (size_t)(_binary_page_end - rest));
		return rsd_file_commit(f, why);
	}
	rsd_file_abandon(f);
	return RSD_ERR_NOMEM;
}

int report_page_write(json_t *document, const char *path)
{
	struct rsd_buf why = RSD_BUF_INIT;
	char *side = rsd_file_side(path);
	int err = RSD_ERR_NOMEM;

	if (side) {
		rsd_cleanup_begin(side);
		err = write_page(document, path, &why);
		rsd_cleanup_end();
	}
	if (err && why.len)
		rsd_tool_error("%.*s", (int)why.len, (const char *)why.data);
	else if (err)
		rsd_tool_error("cannot write '%s': %s", path, rsd_strerror(err));
	rsd_buf_release(&why);
	free(side);
	return err ? RSD_EXIT_ERROR : RSD_EXIT_OK;
}
