#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "coder.h"
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

/* ---- bytes ----------------------------------------------------------------------------- */

/*
 * Frames of signatures as numbers: NEW, one that was not yet there; LIKE, the one at the same distance from the
 * outermost in the signature before; KNOWN + n, the n-th that was new. Both directions keep the same state.
 */
enum { NEW, LIKE, KNOWN };

struct frames {
	struct rsd_frame *frame; /* the distinct ones so far */
	size_t nr, alloc;
	size_t *before, nr_before, alloc_before; /* those of the signature before */
	size_t *now, nr_now, alloc_now;
	uint64_t *last; /* by module + 1: offset of the last new frame */
};

static int frames_init(struct frames *f, const struct rsd_sigs *t)
{
	*f = (struct frames){ .last = rsd_calloc(t->nr_modules + 1, sizeof(*f->last)) };
	return f->last ? 0 : RSD_ERR_NOMEM;
}

static void frames_release(struct frames *f)
{
	free(f->frame);
	free(f->before);
	free(f->now);
	free(f->last);
}

static int start_sig(struct frames *f, size_t nr)
{
	size_t *old = f->before, alloc_old = f->alloc_before;

	f->before = f->now;
	f->nr_before = f->nr_now;
	f->alloc_before = f->alloc_now;
	f->now = old;
	f->alloc_now = alloc_old;
	f->nr_now = 0;
	return RSD_GROW(f->now, nr, f->alloc_now);
}

/* The frame's number that LIKE stands for, or SIZE_MAX. 'nr': frames of the signature. */
static size_t like(const struct frames *f, size_t nr)
{
	size_t outer = nr - f->nr_now;

	return outer <= f->nr_before ? f->before[f->nr_before - outer] : SIZE_MAX;
}

/* What the next frame's number is likely to depend on: the frame before it; of the first one, that of the signature before. */
static uint64_t frame_hint(const struct frames *f)
{
	if (f->nr_now)
		return 1 + 2 * (uint64_t)f->now[f->nr_now - 1];
	return f->nr_before ? 2 + 2 * (uint64_t)f->before[0] : 0;
}

static int add_frame(struct frames *f, struct rsd_frame new)
{
	int err = RSD_GROW(f->frame, f->nr + 1, f->alloc);

	if (err)
		return err;
	f->last[new.module + 1] = new.offset;
	f->frame[f->nr] = new;
	f->now[f->nr_now++] = f->nr++;
	return 0;
}

static int encode_frame(struct frames *f, struct rsd_map *number, const struct rsd_frame *frame,
	size_t nr, struct rsd_buf *out)
{
	uint64_t key = hash_frames(frame, 1), *known;
	uint64_t hint = frame_hint(f);

	while ((known = rsd_map_find(number, key)) && !same_frame(&f->frame[*known], frame))
		key++;
	rsd_buf_field(out, RSD_FIELD_FRAME, hint);
	if (known) {
		bool same = *known == like(f, nr);

		rsd_buf_put_uint(out, same ? LIKE : KNOWN + *known);
		f->now[f->nr_now++] = *known;
		return 0;
	}
	rsd_buf_put_uint(out, NEW);
	rsd_buf_field(out, RSD_FIELD_FRAME_MODULE, hint & 1);
	rsd_buf_put_uint(out, (uint64_t)((int64_t)frame->module + 1));
	rsd_buf_field(out, RSD_FIELD_FRAME_OFFSET, hint & 1);
	rsd_buf_put_int(out, (int64_t)(frame->offset - f->last[frame->module + 1]));
	return rsd_map_set(number, key, f->nr) || add_frame(f, *frame) ? RSD_ERR_NOMEM : 0;
}

void rsd_sigs_encode(const struct rsd_sigs *t, struct rsd_buf *out)
{
	struct rsd_map number = RSD_MAP_INIT; /* hash to the first distinct frame that has it */
	struct frames f;
	int err = frames_init(&f, t);

	rsd_buf_field(out, RSD_FIELD_HEAD, 0);
	rsd_buf_put_uint(out, t->nr_modules);
	for (size_t i = 0; i < t->nr_modules; i++) {
		rsd_buf_put_str(out, t->module[i].path, strlen(t->module[i].path));
		rsd_buf_put_str(out, t->module[i].build_id, strlen(t->module[i].build_id));
	}
	rsd_buf_field(out, RSD_FIELD_HEAD, 1);
	rsd_buf_put_uint(out, t->nr_sigs);
	for (size_t i = 0; !err && i < t->nr_sigs; i++) {
		const struct rsd_sig *s = &t->sig[i];

		err = start_sig(&f, s->nr);
		if (out->coder)
			rsd_coder_scope(out->coder, RSD_FIELD_FRAME, 0);
		rsd_buf_field(out, RSD_FIELD_SIG_LEN, 0);
		rsd_buf_put_uint(out, s->nr);
		for (size_t j = 0; !err && j < s->nr; j++)
			err = encode_frame(&f, &number, &t->frame[s->first + j], s->nr, out);
	}
	if (err)
		out->err = err;
	frames_release(&f);
	rsd_map_release(&number);
}

static void decode_modules(struct rsd_sigs *t, struct rsd_reader *in)
{
	size_t nr = rsd_reader_count(in, 2);

	for (size_t i = 0; !in->err && i < nr; i++) {
		char *path = rsd_reader_cstr(in), *build_id = rsd_reader_cstr(in);

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

static void decode_frame(struct frames *f, size_t nr, int nr_modules, struct rsd_reader *in)
{
	uint64_t hint = frame_hint(f), v, module;

	rsd_reader_field(in, RSD_FIELD_FRAME, hint);
	v = rsd_reader_uint(in);
	if (in->err)
		return;
	if (v != NEW) {
		v = v == LIKE ? like(f, nr) : v - KNOWN;
		if (v >= f->nr)
			in->err = RSD_ERR_FORMAT;
		else
			f->now[f->nr_now++] = (size_t)v;
		return;
	}
	rsd_reader_field(in, RSD_FIELD_FRAME_MODULE, hint & 1);
	module = rsd_reader_uint(in);
	rsd_reader_field(in, RSD_FIELD_FRAME_OFFSET, hint & 1);
	v = (uint64_t)rsd_reader_int(in);
	if (!in->err && module > (uint64_t)nr_modules)
		in->err = RSD_ERR_FORMAT;
	if (!in->err)
		in->err = add_frame(f, (struct rsd_frame){ (int)module - 1, f->last[module] + v });
}

/* It must be new and folded, else the ids of the table would not be those written. */
static void add_sig(
	struct rsd_sigs *t, const struct rsd_frame *list, size_t nr, struct rsd_reader *in)
{
	size_t id = t->nr_sigs;
	int ret = rsd_sigs_intern(t, list, nr);

	if (ret < 0)
		in->err = ret;
	else if ((size_t)ret != id || t->sig[id].nr != nr)
		in->err = RSD_ERR_FORMAT;
}

static void decode_sig(struct rsd_sigs *t, struct frames *f, struct rsd_reader *in)
{
	struct rsd_frame *list = NULL;
	size_t nr;

	if (in->coder)
		rsd_coder_scope(in->coder, RSD_FIELD_FRAME, 0);
	rsd_reader_field(in, RSD_FIELD_SIG_LEN, 0);
	nr = rsd_reader_count(in, 1);
	if (!in->err)
		in->err = start_sig(f, nr);
	for (size_t i = 0; !in->err && i < nr; i++)
		decode_frame(f, nr, (int)t->nr_modules, in);
	if (!in->err)
		list = rsd_calloc(nr, sizeof(*list));
	if (!in->err && !list)
		in->err = RSD_ERR_NOMEM;
	for (size_t i = 0; !in->err && i < nr; i++)
		list[i] = f->frame[f->now[i]];
	if (!in->err)
		add_sig(t, list, nr, in);
	free(list);
}

int rsd_sigs_decode(struct rsd_sigs *t, struct rsd_reader *in)
{
	struct frames f = { 0 };
	size_t nr;

	rsd_sigs_init(t);
	rsd_reader_field(in, RSD_FIELD_HEAD, 0);
	decode_modules(t, in);
	if (!in->err)
		in->err = frames_init(&f, t);
	rsd_reader_field(in, RSD_FIELD_HEAD, 1);
	nr = rsd_reader_count(in, 1);
	for (size_t i = 0; !in->err && i < nr; i++)
		decode_sig(t, &f, in);
	frames_release(&f);
	if (in->err)
		rsd_sigs_release(t);
	return in->err;
}

/* ---- bytes of versions 1 to 3: a table of the distinct frames, and their numbers -------- */

static struct rsd_frame *decode_table_3(const struct rsd_sigs *t, struct rsd_reader *in, size_t *nr)
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

static void decode_sig_3(
	struct rsd_sigs *t, struct rsd_reader *in, const struct rsd_frame *frame, size_t nr_frames)
{
	size_t nr = rsd_reader_count(in, 1);
	struct rsd_frame *list = rsd_calloc(nr, sizeof(*list));

	if (!list)
		in->err = RSD_ERR_NOMEM;
	for (size_t i = 0; !in->err && i < nr; i++) {
		uint64_t f = rsd_reader_uint(in);

		if (f >= nr_frames)
			in->err = RSD_ERR_FORMAT;
		else
			list[i] = frame[f];
	}
	if (!in->err)
		add_sig(t, list, nr, in);
	free(list);
}

int rsd_sigs_decode_3(struct rsd_sigs *t, struct rsd_reader *in)
{
	struct rsd_frame *frame = NULL;
	size_t nr_frames = 0, nr;

	rsd_sigs_init(t);
	decode_modules(t, in);
	if (!in->err)
		frame = decode_table_3(t, in, &nr_frames);
	nr = rsd_reader_count(in, 1);
	for (size_t i = 0; !in->err && i < nr; i++)
		decode_sig_3(t, in, frame, nr_frames);
	free(frame);
	if (in->err)
		rsd_sigs_release(t);
	return in->err;
}
