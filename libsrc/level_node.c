#include "level.h"
#include "collect.h"
#include "selfcheck.h"
#include "trouble.h"
#include "util.h"

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
	struct rsd_trace *t = rsd_collect_checked(&check);
	int err = t ? rsd_collect_write_own(&check, t) : RSD_ERR_NOMEM;

	rsd_rt.written = !err;
	rsd_selfcheck_end(&check);
	rsd_trace_free(t);
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
