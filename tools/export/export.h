/*
 * export.h - traces in the formats of other programs: one file a format
 *
 *	csv.c		one event a row			otf2.c		OTF2, for Vampir, Scalasca, Cube
 *	perfetto.c	Chrome's JSON			tit.c		SimGrid's time-independent traces
 *	dot.c		the call tree, for Graphviz
 *
 * What they have in common: timeline.h (events of all ranks, times, messages), on calls.h, comms.h, match.h and
 * live.h; sink.h for those that write a file, folder.h for those that write several.
 */
#ifndef RSD_EXPORT_H
#define RSD_EXPORT_H

#include "format.h"
#include "tool.h"

struct rsd_export {
	const struct rsd_trace *t;
	const char *path;		   /* the trace's */
	const char *out;		   /* file or folder to write */
	struct rsd_format *format;	   /* with the source lines, where they are known */
	const struct rsd_sources *sources; /* or NULL */
};

/* Each returns the exit code; messages have been printed. */
int rsd_export_csv(const struct rsd_export *x);
int rsd_export_otf2(const struct rsd_export *x);
int rsd_export_perfetto(const struct rsd_export *x);
int rsd_export_tit(const struct rsd_export *x);
int rsd_export_dot(const struct rsd_export *x);

/* The trace's timeline; says on stderr where its times are not what was recorded. NULL after a message. */
struct rsd_timeline;
struct rsd_timeline *rsd_export_timeline(const struct rsd_export *x);

#endif
