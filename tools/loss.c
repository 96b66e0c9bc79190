#include "loss.h"

#include <string.h>

#include "tool.h"
#include "util.h"

static bool has_loops(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_trees; i++)
		for (const struct rsd_node *n = t->tree[i].first; n; n = n->next)
			if (n->place < 0)
				return true;
	return false;
}

static bool has_statistics(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++)
		if (t->place[i].has_timing && !t->place[i].has_times)
			return true;
	return false;
}

static bool has_sites(const struct rsd_trace *t)
{
	return t->sigs.nr_sigs > 0;
}

static bool has_stacks(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->sigs.nr_sigs; i++)
		if (t->sigs.sig[i].nr > 1)
			return true;
	return false;
}

static bool has_calls(const struct rsd_trace *t)
{
	return t->nr_places > 0;
}

static bool has_threads(const struct rsd_trace *t)
{
	for (size_t i = 0; i < t->nr_places; i++)
		if (rsd_thread_number(t->place[i].thread))
			return true;
	return false;
}

static bool has_meta(const struct rsd_trace *t)
{
	return t->nr_meta > 0;
}

static bool is_incomplete(const struct rsd_trace *t)
{
	return !t->complete;
}

/* In what formats it is not. Statistics are what csv, perfetto, otf2 and tit estimate times from, which is told there. */
static const struct {
	const char *what;
	bool (*has)(const struct rsd_trace *t);
	const char *formats;
} losses[] = {
	{ "loops", has_loops, " ascii csv perfetto otf2 tit " },
	{ "statistics of times", has_statistics, " ascii " },
	{ "each call's time", rsd_trace_has_times, " dot " },
	{ "arguments and results", has_calls, " dot " },
	{ "arguments that OTF2 has no record for", has_calls, " otf2 " },
	{ "arguments that SimGrid has no action for", has_calls, " tit " },
	{ "which thread it was", has_threads, " tit " },
	{ "call stacks but for the call site", has_stacks, " csv perfetto otf2 " },
	{ "call stacks", has_sites, " tit " },
	{ "meta data", has_meta, " csv perfetto otf2 tit dot " },
	{ "that it is incomplete", is_incomplete, " csv perfetto otf2 tit dot " },
};

void rsd_loss_tell(const struct rsd_trace *t, const char *format, const char *output)
{
	struct rsd_buf word = RSD_BUF_INIT, lost = RSD_BUF_INIT;

	rsd_buf_printf(&word, " %s ", format);
	rsd_buf_put_byte(&word, 0);
	for (size_t i = 0; !word.err && i < RSD_ARRAY_SIZE(losses); i++)
		if (strstr(losses[i].formats, (char *)word.data) && losses[i].has(t))
			rsd_buf_printf(&lost, "%s%s", lost.len ? ", " : "", losses[i].what);
	if (lost.len)
		rsd_tool_error("not in '%s': %.*s", output, (int)lost.len, (char *)lost.data);
	rsd_buf_release(&word);
	rsd_buf_release(&lost);
}
