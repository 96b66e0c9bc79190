/*
 * locate.h - the files that belong to a module: debug files, supplementary files
 *
 * A file is used only where it is the right one: a debug file found by build id must have that build
 * id; one found by .gnu_debuglink must have its CRC, and the module's build id where both have one; a
 * wasm module's companion (external_debug_info) must have the same functions in the same places;
 * a supplementary file must have the id that the reference tells.
 */
#ifndef RSD_SYMBOLIZE_LOCATE_H
#define RSD_SYMBOLIZE_LOCATE_H

#include "object.h"

struct rsd_roots { /* folders like /usr/lib/debug */
	char **dir;
	size_t nr, alloc;
};

/* The separate debug file of 'o', opened, or NULL: none that is the right one. */
struct rsd_object *rsd_locate_debug(const struct rsd_roots *roots, struct rsd_object *o);
/* The supplementary file (.gnu_debugaltlink or .debug_sup) of 'o', opened, or NULL. */
struct rsd_object *rsd_locate_sup(const struct rsd_roots *roots, struct rsd_object *o);
/* The object within .gnu_debugdata (symbols of a stripped module), or NULL. */
struct rsd_object *rsd_locate_minidebug(struct rsd_object *o);
/* 'dir/name', or 'name' alone where it is absolute; caller frees. NULL: no memory. */
char *rsd_path_join(const char *dir, const char *name);
/* The folder of 'path', "." where it has none; caller frees. */
char *rsd_path_dir(const char *path);

#endif
