/* export.c - see export.h and exports.h */
#include "export.h"

#include <string.h>
#include "align.h"
#include "exports.h"
#include "loss.h"
#include "sink.h"
#include "timeline.h"
#include "util.h"

static const struct {
	const char *name;
	int (*run)(const struct rsd_export *x);
	bool source; /* call sites are looked up unless it is said not to */
} known[] = {
	{ "otf2", rsd_export_otf2, true },
	{ "perfetto", rsd_export_perfetto, false },
	{ "csv", rsd_export_csv, false },
	{ "tit", rsd_export_tit, false },
	{ "dot", rsd_export_dot, true },
};

static int find(const char *format)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(known); i++)
		if (strcmp(known[i].name, format) == 0)
			return (int)i;
	return -1;
}

bool rsd_export_find(const char *format)
{
	return find(format) >= 0;
}

int rsd_export(const char *format, const struct rsd_export_options *o)
{
	struct rsd_export x = { .t = o->t, .path = o->path, .out = o->out };
	struct rsd_source_options source = *o->source;
	struct rsd_sources *sources;
	int i = find(format), code;

	source.wanted |= known[i].source && !o->no_source;
	x.format = rsd_format_open(o->t, &source, &sources);
	x.sources = sources;
	code = x.format ? known[i].run(&x) : rsd_tool_error("out of memory");
	if (code == RSD_EXIT_OK)
		rsd_loss_tell(o->t, format, o->out);
	rsd_format_free(x.format);
	rsd_sources_free(sources);
	return code;
}

struct rsd_timeline *rsd_export_timeline(const struct rsd_export *x)
{
	struct rsd_timeline *tl = rsd_timeline_new(x->t);
	int err = 0;

	if (tl && rsd_timeline_times(tl) != RSD_TIMES_KEPT)
		rsd_tool_error("%s: %s", x->path, rsd_timeline_times_text(tl));
	else if (tl)
		err = rsd_align(tl);
	if (rsd_sink_code(err) == RSD_EXIT_OK)
		return tl;
	rsd_timeline_free(tl);
	return NULL;
}
