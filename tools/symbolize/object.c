/* object.c - see object.h */
#include "object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unpack.h"
#include "util.h"

int rsd_object_fail(const struct rsd_object *o, struct rsd_buf *why, int err, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!why)
		return err;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rsd_buf_printf(why, "'%s': %s", o->path, text);
	return err;
}

/* Maps the file. An empty one maps to no bytes. */
static int map_file(struct rsd_object *o, struct rsd_buf *why)
{
	struct stat st;
	void *p = NULL;
	int fd = open(o->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return rsd_object_fail(o, why, RSD_ERR_IO, "%s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return rsd_object_fail(o, why, RSD_ERR_IO, "not a regular file");
	}
	if (st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return rsd_object_fail(o, why, RSD_ERR_IO, "%s", strerror(errno));
	o->file = (struct rsd_bytes){ p, p ? (size_t)st.st_size : 0 };
	o->mapped = p != NULL;
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct rsd_code *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int fill(struct rsd_object *o, struct rsd_buf *why)
{
	int err;

	if (rsd_elf_is(o->file)) {
		o->kind = RSD_OBJECT_ELF;
		err = rsd_elf_fill(o, why);
	} else if (rsd_wasm_is(o->file)) {
		o->kind = RSD_OBJECT_WASM;
		err = rsd_wasm_fill(o, why);
	} else {
		err = rsd_object_fail(
			o, why, RSD_ERR_FORMAT, "neither an ELF file nor a wasm module");
	}
	if (!err && o->nr_code)
		qsort(o->code, o->nr_code, sizeof(*o->code), by_lo);
	return err;
}

static struct rsd_object *new_object(const char *path, struct rsd_bytes file)
{
	struct rsd_object *o = rsd_calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->path = rsd_strndup(path, strlen(path));
	o->file = file;
	o->addr_size = 8;
	if (o->path)
		return o;
	free(o);
	return NULL;
}

int rsd_object_open(struct rsd_object **out, const char *path, struct rsd_buf *why)
{
	struct rsd_object *o = new_object(path, (struct rsd_bytes){ NULL, 0 });
	int err = o ? map_file(o, why) : RSD_ERR_NOMEM;

	if (!err)
		err = fill(o, why);
	if (err) {
		rsd_object_free(o);
		return err;
	}
	*out = o;
	return 0;
}

int rsd_object_from_bytes(struct rsd_object **out, const char *path, struct rsd_bytes file,
	void *owned, struct rsd_buf *why)
{
	struct rsd_object *o = new_object(path, file);
	int err;

	if (!o) {
		free(owned);
		return RSD_ERR_NOMEM;
	}
	o->owned = owned;
	err = fill(o, why);
	if (err) {
		rsd_object_free(o);
		return err;
	}
	*out = o;
	return 0;
}

void rsd_object_free(struct rsd_object *o)
{
	if (!o)
		return;
	rsd_elf_release(o);
	for (size_t i = 0; i < o->nr_sections; i++)
		free(o->section[i].owned);
	free(o->section);
	free(o->code);
	free(o->names);
	free(o->function_name);
	if (o->mapped)
		munmap((void *)(uintptr_t)o->file.data, o->file.len);
	free(o->owned);
	free(o->path);
	free(o);
}

struct rsd_section *rsd_object_add_section(struct rsd_object *o, const char *name)
{
	if (RSD_GROW(o->section, o->nr_sections + 1, o->alloc_sections))
		return NULL;
	o->section[o->nr_sections] = (struct rsd_section){ .name = name };
	return &o->section[o->nr_sections++];
}

int rsd_object_add_code(struct rsd_object *o, uint64_t lo, uint64_t hi)
{
	if (lo >= hi)
		return 0;
	if (RSD_GROW(o->code, o->nr_code + 1, o->alloc_code))
		return RSD_ERR_NOMEM;
	o->code[o->nr_code++] = (struct rsd_code){ lo, hi };
	return 0;
}

/* Where sections have one name, the first that has contents (a debug file's NOBITS have none). */
struct rsd_section *rsd_object_find(const struct rsd_object *o, const char *name)
{
	struct rsd_section *found = NULL;

	for (size_t i = 0; i < o->nr_sections; i++) {
		struct rsd_section *s = &o->section[i];

		if (strcmp(s->name, name) != 0)
			continue;
		if (s->raw.len)
			return s;
		if (!found)
			found = s;
	}
	return found;
}

static int unpack_chdr(const struct rsd_object *o, struct rsd_section *s, size_t *len)
{
	struct rsd_cursor c = rsd_cursor_at(s->raw, 0, o->big);
	bool is64 = o->addr_size == 8;
	uint32_t type = (uint32_t)rsd_cursor_uint(&c, 4);
	uint64_t size;

	if (is64)
		rsd_cursor_skip(&c, 4);
	size = rsd_cursor_uint(&c, is64 ? 8 : 4);
	rsd_cursor_skip(&c, is64 ? 8 : 4);
	if (c.err)
		return RSD_ERR_FORMAT;
	if (type == ELFCOMPRESS_ZLIB)
		return rsd_unpack(RSD_UNPACK_ZLIB, rsd_bytes_part(s->raw, c.pos, s->raw.len), size,
			&s->owned, len);
	if (type == 2) /* ELFCOMPRESS_ZSTD, which older elf.h lack */
		return rsd_unpack(RSD_UNPACK_ZSTD, rsd_bytes_part(s->raw, c.pos, s->raw.len), size,
			&s->owned, len);
	return RSD_ERR_FORMAT;
}

static int unpack_zlib_gnu(struct rsd_section *s, size_t *len)
{
	struct rsd_cursor c = rsd_cursor_at(s->raw, 4, true);
	uint64_t size = rsd_cursor_uint(&c, 8);

	if (c.err || memcmp(s->raw.data, "ZLIB", 4) != 0)
		return RSD_ERR_FORMAT;
	return rsd_unpack(
		RSD_UNPACK_ZLIB, rsd_bytes_part(s->raw, c.pos, s->raw.len), size, &s->owned, len);
}

/* The contents of this section; unpacked at the first use. */
static struct rsd_bytes contents(const struct rsd_object *o, struct rsd_section *s)
{
	size_t len = 0;
	int err;

	if (s->ready)
		return s->data;
	s->ready = true;
	if (s->packed == RSD_PACKED_NOT) {
		s->data = s->raw;
		return s->data;
	}
	err = s->packed == RSD_PACKED_CHDR ? unpack_chdr(o, s, &len) : unpack_zlib_gnu(s, &len);
	if (!err)
		s->data = (struct rsd_bytes){ s->owned, len };
	return s->data;
}

/* Appends the contents of the later sections that are called as 'first' is to its own. */
static int join(const struct rsd_object *o, struct rsd_section *first)
{
	struct rsd_buf b = RSD_BUF_INIT;
	size_t raw = 0;

	for (struct rsd_section *s = first; s < o->section + o->nr_sections; s++) {
		struct rsd_bytes part;

		if (strcmp(s->name, first->name) != 0 || !s->raw.len)
			continue;
		/* Sections that are there for their size only lie over each other. */
		if (s->raw.len > o->file.len - raw)
			break;
		raw += s->raw.len;
		part = contents(o, s);
		rsd_buf_put(&b, part.data, part.len);
	}
	if (b.err) {
		rsd_buf_release(&b);
		return RSD_ERR_NOMEM;
	}
	free(first->owned);
	first->owned = b.data;
	first->data = (struct rsd_bytes){ b.data, b.len };
	return 0;
}

struct rsd_bytes rsd_object_section(struct rsd_object *o, const char *name)
{
	struct rsd_section *s = rsd_object_find(o, name);
	bool several = false;

	if (!s)
		return (struct rsd_bytes){ NULL, 0 };
	if (s->ready)
		return s->data;
	for (struct rsd_section *t = s + 1; t < o->section + o->nr_sections && !several; t++)
		several = t->raw.len && strcmp(t->name, name) == 0;
	if (several && join(o, s))
		s->data = (struct rsd_bytes){ NULL, 0 };
	return contents(o, s);
}

bool rsd_object_is_code(const struct rsd_object *o, uint64_t lo, uint64_t hi)
{
	size_t a = 0, b = o->nr_code;

	if (lo >= hi)
		return false;
	while (a < b) { /* the first that begins after lo */
		size_t mid = a + (b - a) / 2;

		if (o->code[mid].lo <= lo)
			a = mid + 1;
		else
			b = mid;
	}
	return a > 0 && hi <= o->code[a - 1].hi;
}
