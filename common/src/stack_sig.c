#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stack_sig.h"
#include "util.h"

/* The longest block of frames that is recognised as recursion. */
#define MAX_RECURSION 64

void rsd_sigs_init(struct rsd_sigs *t)
{
	memset(t, 0, sizeof(*t));
}

void rsd_sigs_release(struct rsd_sigs *t)
{
	for (size_t i = 0; i < t->nr_modules; i++) {
		free(t->module[i].path);
		free(t->module[i].build_id);
	}
	free(t->module);
	free(t->frame);
	free(t->sig);
	rsd_map_release(&t->module_by_hash);
	rsd_map_release(&t->sig_by_hash);
	rsd_sigs_init(t);
}

int rsd_sigs_module(struct rsd_sigs *t, const char *path, const char *build_id)
{
	uint64_t key =
		rsd_hash_bytes(build_id, strlen(build_id), rsd_hash_bytes(path, strlen(path), 0));
	struct rsd_module m;
	uint64_t *known;

	for (; (known = rsd_map_find(&t->module_by_hash, key)); key++) {
		const struct rsd_module *k = &t->module[*known];

		if (!strcmp(k->path, path) && !strcmp(k->build_id, build_id))
			return (int)*known;
	}
	if (t->nr_modules >= INT32_MAX || RSD_GROW(t->module, t->nr_modules + 1, t->alloc_modules))
		return RSD_ERR_NOMEM;
	m.path = rsd_strndup(path, strlen(path));
	m.build_id = rsd_strndup(build_id, strlen(build_id));
	if (!m.path || !m.build_id || rsd_map_set(&t->module_by_hash, key, t->nr_modules)) {
		free(m.path);
		free(m.build_id);
		return RSD_ERR_NOMEM;
	}
	t->module[t->nr_modules] = m;
	return (int)t->nr_modules++;
}

static bool same_frame(const struct rsd_frame *a, const struct rsd_frame *b)
{
	return a->module == b->module && a->offset == b->offset;
}

static bool same_frames(const struct rsd_frame *a, const struct rsd_frame *b, size_t nr)
{
	while (nr > 0 && same_frame(&a[nr - 1], &b[nr - 1]))
		nr--;
	return nr == 0;
}

/*
 * Copies frames to 'out', dropping each block that repeats the one right
 * before it, as soon as it is complete; returns how many are left.
 */
static size_t fold_recursion(struct rsd_frame *out, const struct rsd_frame *frame, size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++) {
		out[len++] = frame[i];
		for (size_t p = 1; p <= MAX_RECURSION && 2 * p <= len; p++) {
			if (same_frames(&out[len - p], &out[len - 2 * p], p)) {
				len -= p;
				break;
			}
		}
	}
	return len;
}

static uint64_t hash_frames(const struct rsd_frame *f, size_t nr)
{
	uint64_t h = nr;

	for (size_t i = 0; i < nr; i++)
		h = rsd_hash_mix(rsd_hash_mix(h ^ f[i].offset) + (uint64_t)f[i].module);
	return h;
}

int rsd_sigs_intern(struct rsd_sigs *t, const struct rsd_frame *frame, size_t nr)
{
	struct rsd_frame *folded;
	uint64_t key, *known;

	/* Folded in place behind the frames of the table, where they stay if they are new. */
	if (t->nr_sigs >= INT32_MAX || nr > RSD_ALLOC_MAX / sizeof(*frame) ||
		RSD_GROW(t->frame, t->nr_frames + nr, t->alloc_frames) ||
		RSD_GROW(t->sig, t->nr_sigs + 1, t->alloc_sigs))
		return RSD_ERR_NOMEM;
	if (nr) {
		folded = t->frame + t->nr_frames;
		nr = fold_recursion(folded, frame, nr);
	} else {
		folded = NULL;
	}
	key = hash_frames(folded, nr);
	for (; (known = rsd_map_find(&t->sig_by_hash, key)); key++) {
		const struct rsd_sig *s = &t->sig[*known];

		if (s->nr == nr && (!nr || same_frames(t->frame + s->first, folded, nr)))
			return (int)*known;
	}
	if (rsd_map_set(&t->sig_by_hash, key, t->nr_sigs))
		return RSD_ERR_NOMEM;
	t->sig[t->nr_sigs] = (struct rsd_sig){ t->nr_frames, nr };
	t->nr_frames += nr;
	return (int)t->nr_sigs++;
}

int rsd_sigs_import(struct rsd_sigs *dst, const struct rsd_sigs *src, int id)
{
	struct rsd_frame *frame;
	struct rsd_sig s;
	int ret = 0;

	if (id < 0 || (size_t)id >= src->nr_sigs)
		return RSD_ERR_RANGE;
	s = src->sig[id];
	frame = rsd_calloc(s.nr, sizeof(*frame));
	if (!frame)
		return RSD_ERR_NOMEM;
	for (size_t i = 0; i < s.nr && ret >= 0; i++) {
		const struct rsd_frame *f = &src->frame[s.first + i];

		ret = -1;
		if (f->module >= 0) {
			const struct rsd_module *m = &src->module[f->module];

			ret = rsd_sigs_module(dst, m->path, m->build_id);
			if (ret < 0)
				break;
		}
		frame[i] = (struct rsd_frame){ ret, f->offset };
		ret = 0;
	}
	if (ret >= 0)
		ret = rsd_sigs_intern(dst, frame, s.nr);
	free(frame);
	return ret;
}

/* Numbers the distinct frames in the order they first occur and writes each once. */
static int encode_frames(const struct rsd_sigs *t, size_t *number, struct rsd_buf *out)
{
	struct rsd_map map = RSD_MAP_INIT; /* hash to the first frame that has it */
	struct rsd_buf table = RSD_BUF_INIT;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; !err && i < t->nr_frames; i++) {
		uint64_t key = hash_frames(&t->frame[i], 1), *known;

		while ((known = rsd_map_find(&map, key)) &&
			!same_frame(&t->frame[*known], &t->frame[i]))
			key++;
		if (known) {
			number[i] = number[*known];
			continue;
		}
		number[i] = nr++;
		rsd_buf_put_uint(&table, (uint64_t)((int64_t)t->frame[i].module + 1));
		rsd_buf_put_uint(&table, t->frame[i].offset);
		err = rsd_map_set(&map, key, i);
	}
	if (!err)
		err = table.err;
	rsd_buf_put_uint(out, nr);
	rsd_buf_put(out, table.data, table.len);
	rsd_buf_release(&table);
	rsd_map_release(&map);
	return err;
}

void rsd_sigs_encode(const struct rsd_sigs *t, struct rsd_buf *out)
{
	size_t *number = rsd_calloc(t->nr_frames, sizeof(*number));

	rsd_buf_put_uint(out, t->nr_modules);
	for (size_t i = 0; i < t->nr_modules; i++) {
		rsd_buf_put_str(out, t->module[i].path, strlen(t->module[i].path));
		rsd_buf_put_str(out, t->module[i].build_id, strlen(t->module[i].build_id));
	}
	if (!number || encode_frames(t, number, out)) {
		out->err = RSD_ERR_NOMEM;
		free(number);
		return;
	}
	rsd_buf_put_uint(out, t->nr_sigs);
	for (size_t i = 0; i < t->nr_sigs; i++) {
		const struct rsd_sig *s = &t->sig[i];

		rsd_buf_put_uint(out, s->nr);
		for (size_t j = 0; j < s->nr; j++)
			rsd_buf_put_uint(out, number[s->first + j]);
	}
	free(number);
}

/* A string without zero bytes, as a C string; NULL with the reader's error set otherwise. */
static char *decode_cstr(struct rsd_reader *in)
{
	size_t len;
	const char *s = rsd_reader_str(in, &len);
	char *copy;

	if (!s || memchr(s, 0, len)) {
		in->err = RSD_ERR_FORMAT;
		return NULL;
	}
	copy = rsd_strndup(s, len);
	if (!copy)
		in->err = RSD_ERR_NOMEM;
	return copy;
}

static void decode_modules(struct rsd_sigs *t, struct rsd_reader *in)
{
	size_t nr = rsd_reader_count(in, 2);

	for (size_t i = 0; !in->err && i < nr; i++) {
		char *path = decode_cstr(in), *build_id = decode_cstr(in);

		if (!in->err) {
			int id = rsd_sigs_module(t, path, build_id);

			if (id < 0)
				in->err = id;
			else if ((size_t)id != i)
				in->err = RSD_ERR_FORMAT; /* the same one twice */
		}
		free(path);
		free(build_id);
	}
}

static struct rsd_frame *decode_frames(const struct rsd_sigs *t, struct rsd_reader *in, size_t *nr)
{
	struct rsd_frame *frame;

	*nr = rsd_reader_count(in, 2);
	frame = rsd_calloc(*nr, sizeof(*frame));
	if (!frame) {
		in->err = RSD_ERR_NOMEM;
		return NULL;
	}
	for (size_t i = 0; !in->err && i < *nr; i++) {
		uint64_t module = rsd_reader_uint(in);

		if (module > t->nr_modules)
			in->err = RSD_ERR_FORMAT;
		frame[i].module = (int)module - 1;
		frame[i].offset = rsd_reader_uint(in);
	}
	return frame;
}

/* One signature. It must be new and folded, else the ids of the table would not be those written.
 */
static void decode_sig(
	struct rsd_sigs *t, struct rsd_reader *in, const struct rsd_frame *frame, size_t nr_frames)
{
	size_t nr = rsd_reader_count(in, 1), id = t->nr_sigs;
	struct rsd_frame *list = rsd_calloc(nr, sizeof(*list));
	int ret;

	if (!list)
		in->err = RSD_ERR_NOMEM;
	for (size_t i = 0; !in->err && i < nr; i++) {
		uint64_t f = rsd_reader_uint(in);

		if (f >= nr_frames)
			in->err = RSD_ERR_FORMAT;
		else
			list[i] = frame[f];
	}
	if (!in->err) {
		ret = rsd_sigs_intern(t, list, nr);
		if (ret < 0)
			in->err = ret;
		else if ((size_t)ret != id || t->sig[id].nr != nr)
			in->err = RSD_ERR_FORMAT;
	}
	free(list);
}

int rsd_sigs_decode(struct rsd_sigs *t, struct rsd_reader *in)
{
	struct rsd_frame *frame = NULL;
	size_t nr_frames = 0, nr;

	rsd_sigs_init(t);
	decode_modules(t, in);
	if (!in->err)
		frame = decode_frames(t, in, &nr_frames);
	nr = rsd_reader_count(in, 1);
	for (size_t i = 0; !in->err && i < nr; i++)
		decode_sig(t, in, frame, nr_frames);
	free(frame);
	if (in->err)
		rsd_sigs_release(t);
	return in->err;
}
