/* split.c - see split.h */
#include "split.h"

#include <stdlib.h>
#include "hash.h"
#include "locate.h"
#include "package.h"
#include "util.h"

#define PACKAGE 0

bool rsd_unit_is_skeleton(const struct rsd_unit *u)
{
	return u->has_dwo_id && u->dwo_name && !u->dwarf->dwo;
}

static void free_file(struct rsd_extra_file *f)
{
	if (!f)
		return;
	rsd_dwarf_release(&f->dwarf);
	rsd_object_free(f->object);
	for (size_t i = 0; i < f->nr_paths; i++)
		free(f->path[i]);
	free(f->path);
	free(f);
}

void rsd_splits_release(struct rsd_splits *s)
{
	for (size_t i = 0; i < s->nr_splits; i++) {
		if (s->split[i]->view) {
			rsd_dwarf_release(s->split[i]->view);
			free(s->split[i]->view);
		}
		free(s->split[i]->missing);
		free(s->split[i]);
	}
	for (size_t i = 0; i < s->nr; i++)
		free_file(s->file[i]);
	free(s->split);
	free(s->file);
	rsd_map_release(&s->by_name);
}

/* Adds a path, which is freed on failure and may be NULL (no memory). */
static int add_path(struct rsd_extra_file *f, char *path)
{
	if (!path)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < f->nr_paths; i++) {
		if (strcmp(f->path[i], path) == 0) {
			free(path);
			return 0;
		}
	}
	if (RSD_GROW(f->path, f->nr_paths + 1, f->alloc_paths)) {
		free(path);
		return RSD_ERR_NOMEM;
	}
	f->path[f->nr_paths++] = path;
	return 0;
}

static struct rsd_extra_file *add_file(struct rsd_splits *s, enum rsd_sym_extra_kind kind)
{
	struct rsd_extra_file *f = rsd_calloc(1, sizeof(*f));

	if (f && RSD_GROW(s->file, s->nr + 1, s->alloc)) {
		free(f);
		return NULL;
	}
	if (f) {
		f->kind = kind;
		s->file[s->nr++] = f;
	}
	return f;
}

static char *with_suffix(const char *path)
{
	size_t len = strlen(path);
	char *out = rsd_malloc(len + sizeof(".dwp"));

	if (out) {
		memcpy(out, path, len);
		memcpy(out + len, ".dwp", sizeof(".dwp"));
	}
	return out;
}

int rsd_splits_init(struct rsd_splits *s, const char *module, const char *debug, bool prepared)
{
	struct rsd_extra_file *f;
	int err;

	*s = (struct rsd_splits){ .module = module, .debug = debug, .prepared = prepared };
	f = add_file(s, RSD_SYM_PACKAGE);
	err = f ? add_path(f, with_suffix(module)) : RSD_ERR_NOMEM;
	if (!err && debug)
		err = add_path(f, with_suffix(debug));
	return err;
}

/* The paths that a skeleton's .dwo may have. A relative folder is tried against the module's. */
static int add_dwo_paths(struct rsd_splits *s, struct rsd_extra_file *f, const struct rsd_unit *u)
{
	char *dir = rsd_path_dir(s->debug ? s->debug : s->module);
	char *whole = u->comp_dir ? rsd_path_join(u->comp_dir, u->dwo_name)
				  : rsd_strndup(u->dwo_name, strlen(u->dwo_name));
	const char *slash = strrchr(u->dwo_name, '/');
	int err = dir && whole ? 0 : RSD_ERR_NOMEM;

	if (!err && whole[0] == '/')
		err = add_path(f, rsd_strndup(whole, strlen(whole)));
	else if (!err)
		err = add_path(f, rsd_path_join(dir, whole));
	/* A tree that was moved with its module. The id is checked, whatever is found. */
	if (!err && u->dwo_name[0] != '/')
		err = add_path(f, rsd_path_join(dir, u->dwo_name));
	if (!err)
		err = add_path(f, rsd_path_join(dir, slash ? slash + 1 : u->dwo_name));
	free(dir);
	free(whole);
	return err;
}

/* The extra file that the skeleton names, found among those of others. */
static int find_file(struct rsd_splits *s, const struct rsd_unit *u, struct rsd_extra_file **out)
{
	const char *dir = u->comp_dir ? u->comp_dir : "";
	uint64_t key = rsd_hash_bytes(
		u->dwo_name, strlen(u->dwo_name), rsd_hash_bytes(dir, strlen(dir), 0));
	uint64_t *at = rsd_map_find(&s->by_name, key);
	struct rsd_extra_file fresh = { .kind = RSD_SYM_DWO }, *f;
	int err = add_dwo_paths(s, &fresh, u);

	if (!err && at && strcmp(s->file[*at]->path[0], fresh.path[0]) == 0) {
		*out = s->file[*at];
	} else if (!err) {
		f = add_file(s, RSD_SYM_DWO);
		err = f ? rsd_map_set(&s->by_name, key, s->nr - 1) : RSD_ERR_NOMEM;
		if (f) {
			*f = fresh;
			fresh = (struct rsd_extra_file){ .path = NULL };
		}
		*out = f;
	}
	for (size_t i = 0; i < fresh.nr_paths; i++)
		free(fresh.path[i]);
	free(fresh.path);
	return err;
}

static int split_of(struct rsd_splits *s, struct rsd_unit *u)
{
	struct rsd_split *sp;
	int err;

	if (u->split)
		return 0;
	sp = rsd_calloc(1, sizeof(*sp));
	if (!sp || RSD_GROW(s->split, s->nr_splits + 1, s->alloc_splits)) {
		free(sp);
		return RSD_ERR_NOMEM;
	}
	err = find_file(s, u, &sp->file);
	if (err) {
		free(sp);
		return err;
	}
	s->split[s->nr_splits++] = sp;
	u->split = sp;
	return 0;
}

/* The file is this object, which is the file's from now on. */
static int take_object(struct rsd_extra_file *f, struct rsd_object *o)
{
	int err = rsd_dwarf_init(&f->dwarf, o, true);

	f->object = o;
	f->state = err || !f->dwarf.section[RSD_DW_INFO].len ? RSD_EXTRA_ABSENT : RSD_EXTRA_THERE;
	return err;
}

/* Is there a unit with that id in the .dwo? Roots without a skeleton yet say their ids. */
static struct rsd_unit *unit_with_id(struct rsd_dwarf *d, uint64_t id)
{
	for (size_t i = 0; i < d->nr; i++) {
		struct rsd_unit *u = &d->unit[i];

		if (!u->broken && !rsd_unit_root(u) && u->has_dwo_id && u->dwo_id == id)
			return u;
	}
	return NULL;
}

static int load(struct rsd_extra_file *f, uint64_t id)
{
	int err = 0;

	f->state = RSD_EXTRA_ABSENT;
	for (size_t i = 0; i < f->nr_paths && !err; i++) {
		struct rsd_object *o;

		err = rsd_object_open(&o, f->path[i], NULL);
		if (err && err != RSD_ERR_NOMEM) {
			err = 0;
			continue;
		}
		if (!err)
			err = take_object(f, o);
		/* One with another unit is kept only where there is no better one. */
		if (err || (f->state == RSD_EXTRA_THERE &&
				   (f->kind == RSD_SYM_PACKAGE || i + 1 == f->nr_paths ||
					   unit_with_id(&f->dwarf, id))))
			break;
		rsd_dwarf_release(&f->dwarf);
		rsd_object_free(f->object);
		f->object = NULL;
		f->state = RSD_EXTRA_ABSENT;
	}
	return err;
}

/* Looks the skeleton's unit up in the package. */
static int from_package(struct rsd_splits *s, struct rsd_unit *u, struct rsd_unit **out)
{
	struct rsd_extra_file *f = s->file[PACKAGE];
	struct rsd_dwarf *view;
	int err;

	if (f->state != RSD_EXTRA_THERE)
		return 0;
	view = rsd_calloc(1, sizeof(*view));
	if (!view)
		return RSD_ERR_NOMEM;
	if (!rsd_package_find(&f->dwarf, u->dwo_id, view)) {
		free(view);
		return 0;
	}
	err = rsd_dwarf_scan(view);
	*out = err ? NULL : unit_with_id(view, u->dwo_id);
	if (*out) {
		u->split->view = view;
		return 0;
	}
	rsd_dwarf_release(view);
	free(view);
	return err;
}

static int say_missing(struct rsd_unit *u)
{
	struct rsd_extra_file *f = u->split->file;
	struct rsd_buf b = RSD_BUF_INIT;
	const char *why = "not there";

	if (f->state == RSD_EXTRA_THERE)
		why = "of another build";
	else if (f->state == RSD_EXTRA_WANTED)
		why = "not loaded";
	rsd_buf_printf(&b, "%s: %s", u->dwo_name, why);
	rsd_buf_put_byte(&b, 0);
	if (b.err) {
		rsd_buf_release(&b);
		return RSD_ERR_NOMEM;
	}
	free(u->split->missing);
	u->split->missing = (char *)b.data;
	return 0;
}

/* Reads what is still wanted, unless that is the caller's. */
static int load_wanted(struct rsd_splits *s, struct rsd_extra_file *f, uint64_t id)
{
	return f->state == RSD_EXTRA_WANTED && !s->prepared ? load(f, id) : 0;
}

int rsd_split_unit(struct rsd_splits *s, struct rsd_unit *u, struct rsd_unit **out)
{
	struct rsd_split *sp;
	int err = split_of(s, u);

	*out = NULL;
	if (err)
		return err;
	sp = u->split;
	if (sp->done) {
		*out = sp->unit;
		return 0;
	}
	err = load_wanted(s, s->file[PACKAGE], u->dwo_id);
	if (!err)
		err = from_package(s, u, &sp->unit);
	if (!err && !sp->unit)
		err = load_wanted(s, sp->file, u->dwo_id);
	if (!err && !sp->unit && sp->file->state == RSD_EXTRA_THERE)
		sp->unit = unit_with_id(&sp->file->dwarf, u->dwo_id);
	if (err)
		return err;
	if (sp->unit)
		sp->unit->skeleton = u;
	/* What is only not loaded yet may come. */
	sp->done = sp->unit || (sp->file->state != RSD_EXTRA_WANTED &&
				       s->file[PACKAGE]->state != RSD_EXTRA_WANTED);
	*out = sp->unit;
	return sp->unit ? 0 : say_missing(u);
}

static int want(size_t file, size_t **id, size_t *nr, size_t *alloc)
{
	for (size_t i = 0; i < *nr; i++) {
		if ((*id)[i] == file)
			return 0;
	}
	if (rsd_grow((void **)id, *nr + 1, alloc, sizeof(**id)))
		return RSD_ERR_NOMEM;
	(*id)[(*nr)++] = file;
	return 0;
}

static size_t number_of(const struct rsd_splits *s, const struct rsd_extra_file *f)
{
	size_t i = 0;

	while (s->file[i] != f)
		i++;
	return i;
}

int rsd_split_wants(
	struct rsd_splits *s, struct rsd_unit *u, size_t **id, size_t *nr, size_t *alloc)
{
	struct rsd_unit *unit = NULL;
	int err = split_of(s, u);

	if (err || u->split->unit || u->split->done)
		return err;
	if (s->file[PACKAGE]->state == RSD_EXTRA_WANTED)
		err = want(PACKAGE, id, nr, alloc);
	else
		err = from_package(s, u, &unit);
	if (unit) {
		u->split->unit = unit;
		unit->skeleton = u;
		u->split->done = true;
	} else if (!err && u->split->file->state == RSD_EXTRA_WANTED) {
		err = want(number_of(s, u->split->file), id, nr, alloc);
	}
	return err;
}

int rsd_split_provide(struct rsd_splits *s, size_t id, struct rsd_bytes data)
{
	struct rsd_extra_file *f;
	struct rsd_object *o;
	int err;

	if (id >= s->nr)
		return RSD_ERR_RANGE;
	f = s->file[id];
	if (f->state != RSD_EXTRA_WANTED)
		return 0;
	f->state = RSD_EXTRA_ABSENT;
	if (!data.data)
		return 0;
	err = rsd_object_from_bytes(&o, f->path[0], data, NULL, NULL);
	if (!err)
		err = take_object(f, o);
	return err == RSD_ERR_NOMEM ? err : 0;
}
