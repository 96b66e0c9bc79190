#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "flat.h"
#include "primer.h"
#include "coder.h"
#include "scan.h"
#include "trace_binary.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

/* Small chunks are worth the effort; large ones are written while a program waits. */
#define LEVEL_SMALL 19
#define LEVEL_LARGE 3
#define SMALL ((size_t)1 << 20)

/* A trace of at most so many bytes is coded by a model: that costs about a microsecond a byte. */
#define MODEL_MAX ((size_t)1 << 18)

#define SUM_LEN 8

/* Would a reader take this many more bytes out of so many stored ones? */
static bool is_in_bounds(const struct rsd_binary *b, uint64_t raw, uint64_t stored)
{
	return raw <= RSD_ALLOC_MAX &&
	       b->raw + raw <= (b->stored + stored) * RSD_BINARY_RATIO + RSD_BINARY_FREE;
}

/* ---- writing --------------------------------------------------------------------- */

/* Compresses to a new buffer; 0 where that failed, or does not make it shorter. */
static size_t compress(const struct rsd_buf *raw, void **packed)
{
	size_t bound = ZSTD_compressBound(raw->len), n;

	*packed = rsd_malloc(bound);
	if (!*packed)
		return 0;
	n = ZSTD_compress(
		*packed, bound, raw->data, raw->len, raw->len <= SMALL ? LEVEL_SMALL : LEVEL_LARGE);
	return ZSTD_isError(n) || n >= raw->len ? 0 : n;
}

static void put_stored(struct rsd_binary *b, char type, uint64_t len, const void *stored, size_t nr,
	struct rsd_buf *out)
{
	size_t start = out->len;
	uint64_t sum;

	rsd_buf_put_byte(out, (unsigned char)type);
	rsd_buf_put_uint(out, len);
	rsd_buf_put_uint(out, nr);
	rsd_buf_put(out, stored, nr);
	b->raw += len;
	b->stored += nr;
	if (out->err)
		return;
	sum = rsd_sum(RSD_SUM_INIT, out->data + start, out->len - start);
	for (int i = 0; i < SUM_LEN; i++)
		rsd_buf_put_byte(out, (unsigned char)(sum >> 8 * i));
}

/* Releases 'raw' as soon as it can. */
static void put_chunk(struct rsd_binary *b, char type, struct rsd_buf *raw, struct rsd_buf *out)
{
	size_t len = raw->len, n;
	void *packed;

	if (raw->err) {
		out->err = raw->err;
		rsd_buf_release(raw);
		return;
	}
	n = compress(raw, &packed);
	if (n && is_in_bounds(b, len, n)) {
		rsd_buf_release(raw);
		put_stored(b, type, len, packed, n, out);
	} else {
		put_stored(b, type, len, raw->data, len, out);
	}
	free(packed);
	rsd_buf_release(raw);
}

/* False where that failed, or does not make the trace shorter. 'raw': its bytes. */
static bool put_coded(struct rsd_binary *b, const struct rsd_trace *t, const struct rsd_buf *raw,
	struct rsd_buf *out)
{
	struct rsd_buf again = RSD_BUF_INIT, coded = RSD_BUF_INIT;
	struct rsd_coder *m = rsd_coder_new_primed(raw->len, false);
	bool good = m != NULL;

	if (good) {
		rsd_coder_encode(m, &coded);
		again.coder = m;
		rsd_trace_encode(t, &again);
		rsd_coder_end(m);
		good = !again.err && !coded.err && coded.len < raw->len &&
		       is_in_bounds(b, raw->len, coded.len);
	}
	if (good)
		put_stored(b, 'M', raw->len, coded.data, coded.len, out);
	rsd_coder_free(m);
	rsd_buf_release(&again);
	rsd_buf_release(&coded);
	return good;
}

void rsd_binary_start(struct rsd_binary *b, struct rsd_buf *out)
{
	*b = (struct rsd_binary){ 0, 0 };
	rsd_buf_put(out, RSD_BINARY_MAGIC, RSD_BINARY_MAGIC_LEN);
}

void rsd_binary_log(struct rsd_binary *b, int rank, int thread, const void *log, size_t len,
	struct rsd_buf *out)
{
	struct rsd_buf raw = RSD_BUF_INIT;

	rsd_buf_put_uint(&raw, (uint64_t)rank);
	rsd_buf_put_uint(&raw, (uint64_t)thread);
	rsd_buf_put(&raw, log, len);
	put_chunk(b, 'L', &raw, out);
}

void rsd_binary_trace(struct rsd_binary *b, const struct rsd_trace *t, struct rsd_buf *out)
{
	struct rsd_buf raw = RSD_BUF_INIT;

	if (t->sources.nr) {
		rsd_source_table_encode(&t->sources, &raw);
		put_chunk(b, 'S', &raw, out);
	}
	rsd_trace_encode(t, &raw);
	if (raw.err || raw.len > MODEL_MAX || !put_coded(b, t, &raw, out))
		put_chunk(b, 'T', &raw, out);
	rsd_buf_release(&raw);
}

/* ---- reading ----------------------------------------------------------------------- */

struct chunk {
	unsigned char type;
	size_t pos;	     /* in the file */
	unsigned char *data; /* owned */
	size_t len;
	struct rsd_coder *coder; /* owned: what decodes to 'data'; of M chunks */
};

struct section {
	struct rsd_reader in;
	struct rsd_buf *why;
	struct rsd_binary totals;
	struct chunk *log;
	size_t nr_logs, alloc_logs;
	struct chunk sources; /* data NULL: none */
	struct rsd_trace *t;
};

static int fail(struct section *s, size_t pos, int err, const char *what)
{
	if (s->why)
		rsd_buf_printf(s->why, "offset %zu: %s", pos,
			err == RSD_ERR_FORMAT ? what : rsd_strerror(err));
	return err;
}

static bool sum_agrees(const unsigned char *start, size_t len)
{
	uint64_t sum = rsd_sum(RSD_SUM_INIT, start, len);

	for (int i = 0; i < SUM_LEN; i++)
		if (start[len + (size_t)i] != (unsigned char)(sum >> 8 * i))
			return false;
	return true;
}

static int unpack(struct section *s, struct chunk *c, const unsigned char *stored, size_t len)
{
	size_t n;

	c->data = rsd_malloc(c->len ? c->len : 1);
	if (!c->data)
		return fail(s, c->pos, RSD_ERR_NOMEM, "");
	if (c->type == 'M') {
		c->coder = c->len <= MODEL_MAX ? rsd_coder_new_primed(c->len, true) : NULL;
		if (!c->coder)
			return fail(s, c->pos, c->len <= MODEL_MAX ? RSD_ERR_NOMEM : RSD_ERR_FORMAT,
				"the chunk claims to be larger than the format allows");
		rsd_coder_decode(c->coder, stored, len);
		return 0;
	}
	if (len == c->len) {
		memcpy(c->data, stored, len);
		return 0;
	}
	n = ZSTD_decompress(c->data, c->len, stored, len);
	if (ZSTD_isError(n) || n != c->len)
		return fail(
			s, c->pos, RSD_ERR_FORMAT, "the chunk does not decompress to what it says");
	return 0;
}

static void chunk_release(struct chunk *c)
{
	rsd_coder_free(c->coder);
	free(c->data);
	*c = (struct chunk){ 0 };
}

/* The caller releases the chunk, also in error. */
static int read_chunk(struct section *s, struct chunk *c)
{
	uint64_t raw, stored;
	const unsigned char *bytes;

	*c = (struct chunk){ .pos = s->in.pos };
	c->type = rsd_reader_byte(&s->in);
	raw = rsd_reader_uint(&s->in);
	stored = rsd_reader_uint(&s->in);
	bytes = stored <= s->in.len ? rsd_reader_bytes(&s->in, (size_t)stored) : NULL;
	if (!bytes || !rsd_reader_bytes(&s->in, SUM_LEN))
		return fail(
			s, c->pos, RSD_ERR_FORMAT, "the trace is cut off: a chunk lacks its end");
	if (!sum_agrees(s->in.data + c->pos, s->in.pos - c->pos - SUM_LEN))
		return fail(s, c->pos, RSD_ERR_FORMAT,
			"the checksum does not agree: the trace was altered or damaged");
	if (!is_in_bounds(&s->totals, raw, stored))
		return fail(s, c->pos, RSD_ERR_FORMAT,
			"the chunk claims to be larger than the format allows");
	s->totals.raw += raw;
	s->totals.stored += stored;
	c->len = (size_t)raw;
	return unpack(s, c, bytes, (size_t)stored);
}

static int read_trace(struct section *s, const struct chunk *c)
{
	struct rsd_buf why = RSD_BUF_INIT;
	struct rsd_reader in;
	int err;

	rsd_reader_init(&in, c->data, c->len);
	in.coder = c->coder;
	err = rsd_trace_decode(&s->t, &in, &why);
	if (!err && in.pos != in.len)
		err = RSD_ERR_FORMAT;
	if (err) {
		rsd_buf_put_byte(&why, 0);
		fail(s, c->pos, err, "damaged trace");
		if (s->why && err == RSD_ERR_FORMAT && why.data && why.data[0])
			rsd_buf_printf(s->why, " (unpacked, %s)", (char *)why.data);
	}
	rsd_buf_release(&why);
	return err;
}

/* Places of thread 'thread', in order: what numbers in its logs stand for. */
static int places_of_thread(const struct rsd_trace *t, int thread, int **place, size_t *nr)
{
	size_t alloc = 0;
	int err = 0;

	*place = NULL;
	*nr = 0;
	for (size_t i = 0; !err && i < t->nr_places; i++) {
		if (t->place[i].thread != thread)
			continue;
		err = RSD_GROW(*place, *nr + 1, alloc);
		if (!err)
			(*place)[(*nr)++] = (int)i;
	}
	return err;
}

/* Moves the chunk's events to the log of its rank and thread. */
static int add_events(struct rsd_log *l, const struct rsd_reader *in, const int *place, size_t nr)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	int err;

	rsd_flat_reader_init(&r, in->data + in->pos, in->len - in->pos);
	while (!(err = rsd_flat_next(&r, &e)) && (size_t)e.place < nr)
		rsd_flat_put(&l->bytes, place[e.place], e.val, e.nr_val, e.before_ns, e.dur_ns);
	rsd_flat_reader_release(&r);
	if (l->bytes.err)
		return l->bytes.err;
	return err == RSD_ERR_END ? 0 : err ? err : RSD_ERR_FORMAT;
}

static int add_log(struct section *s, const struct chunk *c)
{
	struct rsd_reader in;
	struct rsd_log *l = NULL;
	uint64_t rank, thread;
	int *place = NULL, err;
	size_t nr;

	rsd_reader_init(&in, c->data, c->len);
	rank = rsd_reader_uint(&in);
	thread = rsd_reader_uint(&in);
	if (in.err || rank >= (uint64_t)s->t->nprocs || thread > INT32_MAX)
		return fail(s, c->pos, RSD_ERR_FORMAT, "events of an impossible rank or thread");
	err = places_of_thread(s->t, (int)thread, &place, &nr);
	if (!err) {
		l = rsd_trace_log(s->t, (int)rank, (int)thread);
		err = l ? add_events(l, &in, place, nr) : RSD_ERR_NOMEM;
	}
	free(place);
	return err ? fail(s, c->pos, err, "damaged events") : 0;
}

/* Their modules are those of the trace, which is there by now. */
static int read_sources(struct section *s)
{
	struct rsd_reader in;
	int err;

	rsd_reader_init(&in, s->sources.data, s->sources.len);
	err = rsd_source_table_decode(&s->t->sources, s->t->sigs.nr_modules, &in);
	if (!err && in.pos != in.len)
		err = RSD_ERR_FORMAT;
	return err ? fail(s, s->sources.pos, err, "damaged source lines") : 0;
}

/* What to do with a chunk before the trace and the trace itself; takes the bytes of those that are kept. */
static int take_chunk(struct section *s, struct chunk *c)
{
	if (c->type == 'T' || c->type == 'M')
		return read_trace(s, c);
	if (c->type == 'L')
		s->log[s->nr_logs++] = *c;
	else if (c->type == 'S' && !s->sources.data)
		s->sources = *c;
	else
		return fail(s, c->pos, RSD_ERR_FORMAT, "a chunk of unknown type");
	*c = (struct chunk){ 0 };
	return 0;
}

static int read_section(struct section *s)
{
	const unsigned char *magic = rsd_reader_bytes(&s->in, RSD_BINARY_MAGIC_LEN);
	struct chunk c = { 0 };
	int err;

	if (!magic || memcmp(magic, RSD_BINARY_MAGIC, RSD_BINARY_MAGIC_LEN) != 0)
		return fail(s, s->in.pos, RSD_ERR_FORMAT, "not a version this program reads");
	do {
		err = RSD_GROW(s->log, s->nr_logs + 1, s->alloc_logs);
		if (!err)
			err = read_chunk(s, &c);
		if (!err)
			err = take_chunk(s, &c);
		chunk_release(&c);
	} while (!err && !s->t);
	if (!err && s->sources.data)
		err = read_sources(s);
	for (size_t i = 0; !err && i < s->nr_logs; i++)
		err = add_log(s, &s->log[i]);
	if (!err && s->nr_logs)
		err = rsd_trace_verify(s->t, s->why);
	return err;
}

int rsd_binary_parse(
	struct rsd_trace **out, const void *data, size_t len, size_t *pos, struct rsd_buf *why)
{
	struct section s = { .why = why };
	int err;

	*out = NULL;
	rsd_reader_init(&s.in, data, len);
	s.in.pos = *pos;
	err = read_section(&s);
	*pos = s.in.pos;
	for (size_t i = 0; i < s.nr_logs; i++)
		chunk_release(&s.log[i]);
	free(s.log);
	free(s.sources.data);
	if (err) {
		rsd_trace_free(s.t);
		return err;
	}
	*out = s.t;
	return 0;
}
