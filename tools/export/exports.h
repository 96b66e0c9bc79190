/* exports.h - the formats of other programs by their names; what they are made of is in export.h */
#ifndef RSD_EXPORTS_H
#define RSD_EXPORTS_H

#include <stdbool.h>
#include "source.h"

#define RSD_EXPORT_NAMES "otf2, perfetto, csv, tit or dot"

struct rsd_export_options {
	const struct rsd_trace *t;
	const char *path, *out; /* the trace's; what to write */
	const struct rsd_source_options *source;
	bool no_source; /* not even where the format has call sites looked up */
};

bool rsd_export_find(const char *format);
/* The exit code; messages have been printed. The format is one that is found. */
int rsd_export(const char *format, const struct rsd_export_options *o);

#endif
