#include <stdlib.h>

#include "level.h"
#include "collect.h"
#include "selfcheck.h"

const char rsd_level_name[] = "node";
const bool rsd_level_is_global = false;
const bool rsd_level_is_flat = false;

void rsd_level_start(void)
{
}

void rsd_call_end(struct rsd_call *c)
{
	rsd_call_end_by(c, rsd_collect_event);
}

static int write_own(void)
{
	struct rsd_selfcheck check = RSD_SELFCHECK_INIT;
	bool locked = rsd_lock();
	struct rsd_trace *t;
	char *path;
	int err = -1;

	rsd_selfcheck_begin(&check);
	t = rsd_collect();
	rsd_unlock(locked);
	path = rsd_collect_path();
	if (t)
		rsd_selfcheck_own(&check, t);
	if (t && path)
		err = rsd_collect_write(t, path);
	if (t && path && !err) {
		rsd_file_sync_name(path);
		err = rsd_parts_append(path);
	}
	rsd_rt.written = !err;
	rsd_selfcheck_end(&check);
	rsd_trace_free(t);
	free(path);
	return err;
}

int rsd_level_finish(void)
{
	rsd_check_requests_together();
	return write_own();
}

struct rsd_trace *rsd_level_after(void)
{
	return rsd_collect();
}

int rsd_level_so_far(struct rsd_so_far *s, const char *why)
{
	return rsd_collect_so_far(s, why);
}

void rsd_level_rescue(const char *why)
{
	if (why)
		rsd_trouble("%s", why);
	write_own();
}
