/* locate.c - see locate.h */
#include "locate.h"

#include <stdlib.h>
#include <zlib.h>
#include "unpack.h"
#include "util.h"

char *rsd_path_join(const char *dir, const char *name)
{
	size_t dir_len = strlen(dir), len = strlen(name);
	bool slash = dir_len && dir[dir_len - 1] != '/';
	char *path;

	if (!dir_len || name[0] == '/')
		return rsd_strndup(name, len);
	path = rsd_malloc(dir_len + slash + len + 1);
	if (!path)
		return NULL;
	memcpy(path, dir, dir_len);
	if (slash)
		path[dir_len] = '/';
	memcpy(path + dir_len + slash, name, len + 1);
	return path;
}

char *rsd_path_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return rsd_strndup(".", 1);
	return rsd_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static bool same(struct rsd_bytes a, struct rsd_bytes b)
{
	return a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
}

/* The file if it can be opened; frees the path, which may be NULL. */
static struct rsd_object *try_open(char *path)
{
	struct rsd_object *o = NULL;

	if (path && rsd_object_open(&o, path, NULL))
		o = NULL;
	free(path);
	return o;
}

/* "<root>/.build-id/ab/cdef.debug"; caller frees. */
static char *build_id_path(const char *root, struct rsd_bytes id)
{
	struct rsd_buf b = RSD_BUF_INIT;

	rsd_buf_printf(&b, "%s/.build-id/%02x/", root, id.data[0]);
	for (size_t i = 1; i < id.len; i++)
		rsd_buf_printf(&b, "%02x", id.data[i]);
	rsd_buf_put(&b, ".debug", sizeof(".debug"));
	if (b.err)
		rsd_buf_release(&b);
	return (char *)b.data;
}

/* The first file by that build id, in any root, that has it. */
static struct rsd_object *by_build_id(const struct rsd_roots *roots, struct rsd_bytes id)
{
	for (size_t i = 0; i < roots->nr && id.len > 1; i++) {
		struct rsd_object *o = try_open(build_id_path(roots->dir[i], id));

		if (o && same(o->build_id, id))
			return o;
		rsd_object_free(o);
	}
	return NULL;
}

static bool crc_is(const struct rsd_object *o, uint32_t want)
{
	uLong crc = crc32(0, NULL, 0);
	size_t done = 0;

	while (done < o->file.len) {
		size_t left = o->file.len - done;
		uInt n = left > (1u << 30) ? 1u << 30 : (uInt)left;

		crc = crc32(crc, o->file.data + done, n);
		done += n;
	}
	return crc == want;
}

/* The file at 'path', which is freed, if it is the one that the module's debuglink means. */
static struct rsd_object *try_debuglink(const struct rsd_object *module, char *path, uint32_t crc)
{
	struct rsd_object *o = try_open(path);

	if (o && crc_is(o, crc) &&
		(!o->build_id.len || !module->build_id.len || same(o->build_id, module->build_id)))
		return o;
	rsd_object_free(o);
	return NULL;
}

static struct rsd_object *in_folder(
	const struct rsd_object *module, const char *folder, const char *name, uint32_t crc)
{
	char *sub = rsd_path_join(folder, ".debug");
	struct rsd_object *o = try_debuglink(module, rsd_path_join(folder, name), crc);

	if (!o && sub)
		o = try_debuglink(module, rsd_path_join(sub, name), crc);
	free(sub);
	return o;
}

static struct rsd_object *by_debuglink(const struct rsd_roots *roots, struct rsd_object *module)
{
	struct rsd_bytes b = rsd_object_section(module, ".gnu_debuglink");
	struct rsd_cursor c = rsd_cursor_at(b, 0, module->big);
	const char *name = rsd_cursor_str(&c);
	char *dir = rsd_path_dir(module->path);
	struct rsd_object *o = NULL;
	uint32_t crc;

	rsd_cursor_skip(&c, -c.pos & 3);
	crc = (uint32_t)rsd_cursor_uint(&c, 4);
	if (!c.err && name && dir) {
		o = in_folder(module, dir, name, crc);
		for (size_t i = 0; i < roots->nr && !o; i++) {
			char *folder = rsd_path_join(roots->dir[i], dir[0] == '/' ? dir + 1 : dir);

			if (folder)
				o = try_debuglink(module, rsd_path_join(folder, name), crc);
			free(folder);
		}
	}
	free(dir);
	return o;
}

/* Is the code of both in the same places? (Debug information counts from the start of the code.) */
static bool same_code(const struct rsd_object *a, const struct rsd_object *b)
{
	return a->kind == b->kind && a->nr_code == b->nr_code &&
	       (!a->nr_code || memcmp(a->code, b->code, a->nr_code * sizeof(*a->code)) == 0);
}

/* The companion that a wasm module names in its section external_debug_info. */
static struct rsd_object *by_external_info(struct rsd_object *module)
{
	struct rsd_cursor c =
		rsd_cursor_at(rsd_object_section(module, "external_debug_info"), 0, false);
	struct rsd_bytes name = rsd_cursor_bytes(&c, rsd_cursor_uleb(&c));
	char *file = c.err || !name.len ? NULL : rsd_strndup((const char *)name.data, name.len);
	char *dir = file ? rsd_path_dir(module->path) : NULL;
	struct rsd_object *o = dir ? try_open(rsd_path_join(dir, file)) : NULL;

	free(file);
	free(dir);
	if (o && same_code(o, module) &&
		(!o->build_id.len || !module->build_id.len || same(o->build_id, module->build_id)))
		return o;
	rsd_object_free(o);
	return NULL;
}

struct rsd_object *rsd_locate_debug(const struct rsd_roots *roots, struct rsd_object *o)
{
	struct rsd_object *found = by_build_id(roots, o->build_id);

	if (!found && o->kind == RSD_OBJECT_WASM)
		return by_external_info(o);
	return found ? found : by_debuglink(roots, o);
}

/* Does the file have this id: as build id, or in its own .debug_sup? */
static bool is_sup(struct rsd_object *o, struct rsd_bytes id)
{
	struct rsd_cursor c = rsd_cursor_at(rsd_object_section(o, ".debug_sup"), 0, o->big);
	bool supplements;

	if (o->build_id.len && same(o->build_id, id))
		return true;
	rsd_cursor_skip(&c, 2);
	supplements = rsd_cursor_u8(&c) == 1;
	rsd_cursor_str(&c);
	return supplements && !c.err && same(rsd_cursor_bytes(&c, rsd_cursor_uleb(&c)), id) &&
	       !c.err;
}

/* Name and id of the supplementary file; false where there is none. */
static bool sup_reference(struct rsd_object *o, const char **name, struct rsd_bytes *id)
{
	struct rsd_bytes b = rsd_object_section(o, ".gnu_debugaltlink");
	struct rsd_cursor c = rsd_cursor_at(b, 0, o->big);

	*name = rsd_cursor_str(&c);
	*id = rsd_cursor_bytes(&c, rsd_cursor_left(&c));
	if (*name && !c.err)
		return true;
	c = rsd_cursor_at(rsd_object_section(o, ".debug_sup"), 0, o->big);
	rsd_cursor_skip(&c, 2);
	if (rsd_cursor_u8(&c) != 0)
		return false;
	*name = rsd_cursor_str(&c);
	*id = rsd_cursor_bytes(&c, rsd_cursor_uleb(&c));
	return *name && !c.err;
}

struct rsd_object *rsd_locate_sup(const struct rsd_roots *roots, struct rsd_object *o)
{
	const char *name;
	struct rsd_bytes id;
	struct rsd_object *sup = NULL;
	char *dir;

	if (!sup_reference(o, &name, &id))
		return NULL;
	dir = rsd_path_dir(o->path);
	if (dir)
		sup = try_open(rsd_path_join(dir, name));
	free(dir);
	if (sup && is_sup(sup, id))
		return sup;
	rsd_object_free(sup);
	return by_build_id(roots, id);
}

struct rsd_object *rsd_locate_minidebug(struct rsd_object *o)
{
	struct rsd_bytes packed = rsd_object_section(o, ".gnu_debugdata");
	struct rsd_object *inner = NULL;
	unsigned char *data;
	size_t len;

	if (!packed.len || rsd_unpack(RSD_UNPACK_XZ, packed, 0, &data, &len))
		return NULL;
	if (rsd_object_from_bytes(&inner, o->path, (struct rsd_bytes){ data, len }, data, NULL))
		return NULL;
	return inner;
}
