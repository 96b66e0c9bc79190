#include "preload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"

bool rsd_tool_set_variable(const char *name, const struct rsd_buf *value)
{
	if (!value->err && setenv(name, (const char *)value->data, 1) == 0)
		return true;
	rsd_tool_error("cannot set %s: %s", name, strerror(ENOMEM));
	return false;
}

/* A percent sign in it begins no %p. */
static void put_folder(const char *folder, struct rsd_buf *out)
{
	for (const char *s = folder; *s; s++)
		rsd_buf_printf(out, *s == '%' ? "%%%%" : "%c", *s);
	rsd_buf_put_byte(out, '/');
}

bool rsd_tool_set_path(const char *name, const char *path)
{
	struct rsd_buf value = RSD_BUF_INIT;
	char here[4096];
	bool ok = true;

	if (path[0] != '/') {
		ok = getcwd(here, sizeof(here)) != NULL;
		if (ok)
			put_folder(here, &value);
		else
			rsd_tool_error("cannot tell which folder this is: %s", strerror(errno));
	}
	rsd_buf_printf(&value, "%s", path);
	rsd_buf_put_byte(&value, 0);
	ok = ok && rsd_tool_set_variable(name, &value);
	rsd_buf_release(&value);
	return ok;
}

bool rsd_tool_preload(const char *level, const char *lib_dir)
{
	/* Our library comes before what is preloaded already. */
	const char *old = getenv("LD_PRELOAD");
	struct rsd_buf value = RSD_BUF_INIT;
	bool ok = true;

	if (lib_dir)
		rsd_buf_printf(&value, "%s", lib_dir);
	else if ((ok = rsd_tool_lib_dir(&value)))
		value.len--; /* the 0 */
	rsd_buf_printf(&value, "/lib%s.so", level);
	rsd_buf_put_byte(&value, 0);
	if (ok && !value.err && access((const char *)value.data, R_OK) != 0) {
		rsd_tool_error("cannot open '%s': %s", (const char *)value.data, strerror(errno));
		ok = false;
	}
	if (ok && !value.err && strpbrk((const char *)value.data, " :")) {
		rsd_tool_error("'%s': a path with a blank or colon cannot be preloaded",
			(const char *)value.data);
		ok = false;
	}
	if (ok && old && *old) {
		value.len--;
		rsd_buf_printf(&value, ":%s", old);
		rsd_buf_put_byte(&value, 0);
	}
	ok = ok && rsd_tool_set_variable("LD_PRELOAD", &value);
	rsd_buf_release(&value);
	return ok;
}
