#include "source_table.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

void rsd_source_frames_free(struct rsd_source_frame *frame, size_t nr)
{
	for (size_t i = 0; frame && i < nr; i++) {
		free((char *)(uintptr_t)frame[i].function);
		free((char *)(uintptr_t)frame[i].file);
	}
	free(frame);
}

void rsd_source_table_release(struct rsd_source_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		rsd_source_frames_free(t->entry[i].frame, t->entry[i].nr);
	free(t->entry);
	rsd_map_release(&t->by_place);
	*t = (struct rsd_source_table){ NULL, 0, 0, RSD_MAP_INIT };
}

/* Where the place stands in the map, or the key at which it would: keys of one hash follow one another. */
static uint64_t *find(const struct rsd_source_table *t, int module, uint64_t offset, uint64_t *key)
{
	uint64_t *at;

	*key = rsd_hash_mix(rsd_hash_mix(offset) + (uint64_t)module);
	while ((at = rsd_map_find(&t->by_place, *key)) != NULL) {
		const struct rsd_source *s = &t->entry[*at];

		if (s->module == module && s->offset == offset)
			break;
		++*key;
	}
	return at;
}

const struct rsd_source *rsd_source_table_find(
	const struct rsd_source_table *t, int module, uint64_t offset)
{
	uint64_t key, *at = find(t, module, offset, &key);

	return at ? &t->entry[*at] : NULL;
}

/* False: no memory. */
static bool copy_text(const char **to, const char *text)
{
	*to = text && *text ? rsd_strndup(text, strlen(text)) : NULL;
	return *to || !text || !*text;
}

static struct rsd_source_frame *copy_frames(const struct rsd_source_frame *frame, size_t nr)
{
	struct rsd_source_frame *to = rsd_calloc(nr + 1, sizeof(*to));

	for (size_t i = 0; to && i < nr; i++) {
		to[i].line = frame[i].line;
		to[i].column = frame[i].column;
		if (!copy_text(&to[i].function, frame[i].function) ||
			!copy_text(&to[i].file, frame[i].file)) {
			rsd_source_frames_free(to, nr);
			return NULL;
		}
	}
	return to;
}

int rsd_source_table_add(struct rsd_source_table *t, int module, uint64_t offset,
	const struct rsd_source_frame *frame, size_t nr, bool *known)
{
	struct rsd_source s = { module, offset, NULL, nr };
	uint64_t key;
	bool there = find(t, module, offset, &key) != NULL;

	if (known)
		*known = there;
	if (there)
		return 0;
	if (RSD_GROW(t->entry, t->nr + 1, t->alloc))
		return RSD_ERR_NOMEM;
	s.frame = copy_frames(frame, nr);
	if (!s.frame || rsd_map_set(&t->by_place, key, t->nr)) {
		rsd_source_frames_free(s.frame, nr);
		return RSD_ERR_NOMEM;
	}
	t->entry[t->nr++] = s;
	return 0;
}

int rsd_source_table_import(struct rsd_source_table *dst, struct rsd_sigs *to,
	const struct rsd_source_table *src, const struct rsd_sigs *from)
{
	for (size_t i = 0; i < src->nr; i++) {
		const struct rsd_source *s = &src->entry[i];
		const struct rsd_module *m = &from->module[s->module];
		int module = rsd_sigs_module(to, m->path, m->build_id);

		if (module < 0)
			return module;
		if (rsd_source_table_add(dst, module, s->offset, s->frame, s->nr, NULL))
			return RSD_ERR_NOMEM;
	}
	return 0;
}

/* ---- bytes ------------------------------------------------------------------------- */

static void encode_text(const char *text, struct rsd_buf *out)
{
	rsd_buf_put_str(out, text ? text : "", text ? strlen(text) : 0);
}

void rsd_source_table_encode(const struct rsd_source_table *t, struct rsd_buf *out)
{
	rsd_buf_put_uint(out, t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		const struct rsd_source *s = &t->entry[i];

		rsd_buf_put_uint(out, (uint64_t)s->module);
		rsd_buf_put_uint(out, s->offset);
		rsd_buf_put_uint(out, s->nr);
		for (size_t k = 0; k < s->nr; k++) {
			encode_text(s->frame[k].function, out);
			encode_text(s->frame[k].file, out);
			rsd_buf_put_uint(out, s->frame[k].line);
			rsd_buf_put_uint(out, s->frame[k].column);
		}
	}
}

static uint32_t decode_number(struct rsd_reader *in)
{
	uint64_t v = rsd_reader_uint(in);

	if (v > UINT32_MAX)
		in->err = RSD_ERR_FORMAT;
	return (uint32_t)v;
}

static void decode_entry(struct rsd_source_table *t, size_t nr_modules, struct rsd_reader *in)
{
	uint64_t module = rsd_reader_uint(in), offset = rsd_reader_uint(in);
	size_t nr = rsd_reader_count(in, 4);
	struct rsd_source_frame *frame = rsd_calloc(nr + 1, sizeof(*frame));
	bool known = false;

	if (!frame)
		in->err = RSD_ERR_NOMEM;
	for (size_t i = 0; !in->err && i < nr; i++) {
		frame[i].function = rsd_reader_cstr(in);
		frame[i].file = rsd_reader_cstr(in);
		frame[i].line = decode_number(in);
		frame[i].column = decode_number(in);
	}
	if (!in->err && module >= nr_modules)
		in->err = RSD_ERR_FORMAT;
	if (!in->err)
		in->err = rsd_source_table_add(t, (int)module, offset, frame, nr, &known);
	if (known)
		in->err = RSD_ERR_FORMAT;
	rsd_source_frames_free(frame, nr);
}

int rsd_source_table_decode(struct rsd_source_table *t, size_t nr_modules, struct rsd_reader *in)
{
	size_t nr = rsd_reader_count(in, 3);

	for (size_t i = 0; !in->err && i < nr; i++)
		decode_entry(t, nr_modules, in);
	if (in->err)
		rsd_source_table_release(t);
	return in->err;
}
