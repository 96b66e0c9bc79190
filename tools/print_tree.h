/*
 * print_tree.h - the structure of a trace: loops and event places, for people or as JSON
 *
 * Parameters are those of a place as a whole (summary.h): where one place stands at
 * several nodes, each shows all of its values.
 */
#ifndef RSD_PRINT_TREE_H
#define RSD_PRINT_TREE_H

#include "format.h"
#include "tool.h"

struct rsd_tree_view {
	const struct rsd_trace *t;
	struct rsd_format *f;
	const char *path;
	int rank; /* only what this rank takes part in; -1: all */
	enum rsd_style style;
	bool stack, full, color;
	struct rsd_out *out;
};

/* 'when': auto, always, never. */
bool rsd_print_wants_color(const char *when);
/* Returns the exit code; messages are printed. */
int rsd_print_tree(const struct rsd_tree_view *v);

#endif
