#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "coder.h"
#include "util.h"

#define CONTEXTS 8
#define WEIGHT_MAX ((int64_t)1 << 24)
#define TRUST 8	 /* how often a context was seen, in so many steps */
#define LIMIT 60 /* what was seen longer ago than about so many times counts no more */
#define THERE 1024

enum mode { LEARN, ENCODE, DECODE };

/* How often a context had a 1: probability, 16 bits; how often it was seen, 6; which context it is, 10. */
struct slot {
	uint16_t p, seen_of;
};

struct rsd_coder {
	enum mode mode;
	/* What is predicted from. */
	unsigned field;
	uint64_t hint, at; /* that whoever encodes said */
	uint64_t range;	   /* 0: not said */
	int zeros;
	uint64_t scope, about;	 /* the column, or the times */
	uint64_t prefix, before; /* hash of its numbers so far; of all those of the one before it */
	uint64_t recent;	 /* the last four numbers, 16 bits of each */
	uint64_t text;		 /* the last eight bytes of texts */
	uint64_t last[RSD_NR_FIELDS], older[RSD_NR_FIELDS]; /* numbers of the field */
	uint8_t there[THERE]; /* by scope, field and 'at': roughly the last number, plus 1 */
	uint64_t context[CONTEXTS];
	int nr; /* of them that count */
	/* The contexts' statistics, and the mixer's weights. */
	struct slot *slot;
	int bits;
	int32_t weight[RSD_NR_FIELDS][CONTEXTS][TRUST];
	int16_t stretch[4096], stretch_fine[4096];
	uint16_t rate[LIMIT + 1];
	/* The coder. */
	uint32_t low, high, code;
	struct rsd_buf *out;
	const unsigned char *in;
	size_t len, pos;
};

/* ---- probabilities ----------------------------------------------------------------- */

/* 65536 / (1 + exp(-d / 256)), for d from -3072 to 3072, within 1 and 65535. */
static int squash(int d)
{
	static const uint16_t at[] = { 1, 1, 1, 2, 3, 5, 8, 13, 22, 36, 60, 98, 162, 267, 439, 720,
		1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768, 40793, 47911, 53581,
		57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500,
		65514, 65523, 65528, 65531, 65533, 65534, 65535, 65535, 65535 };
	int i, rest;

	if (d <= -3072)
		return 1;
	if (d >= 3072)
		return 65535;
	i = (d + 3072) >> 7;
	rest = (d + 3072) & 127;
	return (at[i] * (128 - rest) + at[i + 1] * rest) >> 7;
}

/* The inverse: in steps of 16, and of 1 where the probability is low. */
static void fill_stretch(struct rsd_coder *c)
{
	int coarse = 0, fine = 0;

	for (int d = -3071; d <= 3071; d++) {
		int p = squash(d);

		for (; coarse <= p >> 4; coarse++)
			c->stretch[coarse] = (int16_t)d;
		for (; fine < 4096 && fine <= p; fine++)
			c->stretch_fine[fine] = (int16_t)d;
	}
	for (; coarse < 4096; coarse++)
		c->stretch[coarse] = 3071;
}

static int stretch(const struct rsd_coder *c, int p)
{
	if (p >= 65536 - 4096)
		return -c->stretch_fine[65535 - p];
	return p < 4096 ? c->stretch_fine[p] : c->stretch[p >> 4];
}

/* ---- coding a bit -------------------------------------------------------------------- */

/* 'p': how probable a 1 is, of 65536. */
static int code_bit(struct rsd_coder *c, int bit, int p)
{
	uint32_t mid = c->low + (uint32_t)((uint64_t)(c->high - c->low) * (unsigned)p >> 16);

	if (c->mode == LEARN)
		return bit;
	if (c->mode == DECODE)
		bit = c->code <= mid;
	if (bit)
		c->high = mid;
	else
		c->low = mid + 1;
	while (!((c->low ^ c->high) >> 24)) {
		if (c->mode == ENCODE)
			rsd_buf_put_byte(c->out, (unsigned char)(c->high >> 24));
		else
			c->code = c->code << 8 | (c->pos < c->len ? c->in[c->pos++] : 0);
		c->low <<= 8;
		c->high = c->high << 8 | 255;
	}
	return bit;
}

static int trust_of(int seen)
{
	return seen < 4 ? seen : seen < 6 ? 4 : seen < 12 ? 5 : seen < 30 ? 6 : 7;
}

/* The statistics of context i at this decision; those of another one that were there are given up. */
static struct slot *find_slot(struct rsd_coder *c, int i, uint64_t node)
{
	uint64_t h = (c->context[i] + node * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	struct slot *s = &c->slot[h >> (64 - c->bits)];
	unsigned of = (unsigned)(h >> 20) & 1023;

	if (s->seen_of >> 6 != of || !(s->seen_of & 63))
		*s = (struct slot){ 32768, (uint16_t)(of << 6) };
	return s;
}

/* Within bounds that only bytes made for it reach. */
static void adjust(int32_t *weight, int64_t by)
{
	by += *weight;
	*weight = (int32_t)(by < -WEIGHT_MAX ? -WEIGHT_MAX : by > WEIGHT_MAX ? WEIGHT_MAX : by);
}

/* A decision, which 'node' tells apart from others of the same number. */
static int decide(struct rsd_coder *c, int bit, uint64_t node)
{
	struct slot *s[CONTEXTS];
	int st[CONTEXTS], trust[CONTEXTS], p, miss;
	int64_t dot = 0;

	for (int i = 0; i < c->nr; i++) {
		s[i] = find_slot(c, i, node);
		trust[i] = trust_of(s[i]->seen_of & 63);
		st[i] = trust[i] ? stretch(c, s[i]->p) : 0;
		dot += (int64_t)c->weight[c->field][i][trust[i]] * st[i];
	}
	dot >>= 16;
	p = squash(dot < -3071 ? -3071 : dot > 3071 ? 3071 : (int)dot);
	bit = code_bit(c, bit, p);
	miss = (bit << 16) - p;
	for (int i = 0; i < c->nr; i++) {
		int seen = s[i]->seen_of & 63, q = s[i]->p;

		adjust(&c->weight[c->field][i][trust[i]], (int64_t)st[i] * miss >> 13);
		q += (int)((int64_t)((bit ? 65535 : 0) - q) * c->rate[seen] / 65536);
		s[i]->p = (uint16_t)q;
		if (seen < LIMIT)
			s[i]->seen_of++;
	}
	return bit;
}

/* ---- contexts ------------------------------------------------------------------------ */

static uint64_t mix2(uint64_t a, uint64_t b)
{
	return rsd_hash_mix(a * 0x9e3779b97f4a7c15u + b);
}

static int length(uint64_t v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

/* Of numbers that never come twice as they are: how many bits, and the two behind the first. */
static uint64_t rough(uint64_t v)
{
	return v < 8 ? v : 4 * (unsigned)length(v) + (v >> (length(v) - 3) & 3);
}

static bool is_time(unsigned field)
{
	return field >= RSD_FIELD_HISTOGRAM &&
	       (field - RSD_FIELD_HISTOGRAM) % RSD_NR_HIST_FIELDS != RSD_HIST_NR;
}

static uint8_t *there(struct rsd_coder *c)
{
	return &c->there[mix2(mix2(c->scope, c->field), c->at) % THERE];
}

static void set_time_contexts(struct rsd_coder *c)
{
	uint64_t f = c->field, last = rough(c->last[f]), older = rough(c->older[f]);
	uint64_t *to = c->context, what = (f - RSD_FIELD_HISTOGRAM) % RSD_NR_HIST_FIELDS;

	if (what == RSD_HIST_PLACE || what == RSD_HIST_SUM)
		c->nr = 3;
	to[0] = mix2(1, f);
	to[1] = mix2(mix2(2, f), c->hint);
	to[2] = mix2(mix2(3, f), mix2(c->about, c->at));
	to[3] = mix2(mix2(4, f), mix2(c->scope, c->at));
	to[4] = mix2(mix2(5, f), mix2(c->about, c->hint));
	to[5] = mix2(mix2(6, f), mix2(c->hint, last));
	to[6] = mix2(mix2(7, f), mix2(mix2(c->at, last), older));
	to[7] = mix2(mix2(8, f), mix2(c->hint, *there(c)));
}

static void set_text_contexts(struct rsd_coder *c)
{
	for (unsigned i = 0; i < CONTEXTS; i++) {
		uint64_t text = i < 7 ? c->text & (((uint64_t)1 << 8 * i) - 1) : c->text;

		c->context[i] = mix2(16 + i, text);
	}
}

static void set_contexts(struct rsd_coder *c)
{
	uint64_t f = c->field, last = f == RSD_FIELD_TEXT_LEN ? c->text : c->last[f];
	uint64_t *to = c->context;

	c->nr = CONTEXTS;
	if (f == RSD_FIELD_TEXT) {
		set_text_contexts(c);
		return;
	}
	if (is_time(f)) {
		set_time_contexts(c);
		return;
	}
	to[0] = mix2(1, f);
	to[1] = mix2(mix2(2, f), c->hint);
	to[2] = mix2(mix2(3, f), mix2(c->hint, last));
	to[3] = mix2(mix2(4, c->scope), c->prefix);
	to[4] = mix2(mix2(5, f), c->prefix);
	to[5] = mix2(mix2(6, c->before), c->prefix);
	to[6] = mix2(mix2(7, f), c->recent & 0xffffffffffff);
	to[7] = mix2(mix2(8, f), mix2(last, c->older[f]));
}

static void note(struct rsd_coder *c, uint64_t v)
{
	if (c->field == RSD_FIELD_TEXT_LEN || c->field == RSD_FIELD_TEXT)
		c->text = c->text << 8 | (v & 255);
	if (is_time(c->field))
		*there(c) = (uint8_t)(1 + rough(v));
	c->older[c->field] = c->last[c->field];
	c->last[c->field] = v;
	c->prefix = mix2(c->prefix + c->field, v);
	c->recent = c->recent << 16 | (v & 65535);
}

/* ---- numbers ------------------------------------------------------------------------- */

static uint64_t plain_bits(struct rsd_coder *c, uint64_t v, int nr)
{
	uint64_t out = 0;

	while (nr--)
		out = out << 1 | (unsigned)code_bit(c, v >> nr & 1, 32768);
	return out;
}

/* One of at most 'range': the first bits are predicted. */
static uint64_t code_range(struct rsd_coder *c, uint64_t v, uint64_t range)
{
	int nr = length(range), known = nr < 4 ? nr : 4;
	uint64_t node = 1;

	for (int i = 1; i <= known; i++)
		node = node << 1 | (unsigned)decide(c, v >> (nr - i) & 1, node);
	nr -= known;
	node -= (uint64_t)1 << known;
	return node << nr | plain_bits(c, v, nr);
}

/*
 * A number below 16 is a token of its own; of larger ones it is how many bits they have, and
 * the two behind the first. Then the rest of the bits.
 */
static uint64_t code_number(struct rsd_coder *c, uint64_t v)
{
	int len = length(v), nr;
	uint64_t token = v < 16 ? v : 16 + 4 * (unsigned)(len - 5) + (v >> (len - 3) & 3), node = 1;

	for (int i = 7; i >= 0; i--)
		node = node << 1 | (unsigned)decide(c, token >> i & 1, node);
	token = node - 256;
	if (token < 16)
		return token;
	nr = (int)((token - 16) >> 2) + 2;
	if (is_time(c->field))
		return (4 + (token & 3)) << nr | plain_bits(c, v, nr);
	node = 4 + (token & 3);
	for (int i = nr - 1; i >= 0; i--)
		node = node << 1 |
		       (unsigned)decide(c, v >> i & 1, node + ((uint64_t)nr << 56) + 256);
	return node;
}

static uint64_t code_likely(struct rsd_coder *c, uint64_t v)
{
	uint64_t rest = ((uint64_t)1 << c->zeros) - 1;

	if (!decide(c, v <= c->range, 0))
		return code_number(c, v);
	if (!c->zeros || !decide(c, !(v & rest), 1 << 16))
		return code_range(c, v, c->range);
	return code_range(c, v >> c->zeros, c->range >> c->zeros) << c->zeros;
}

uint64_t rsd_coder_number(struct rsd_coder *c, uint64_t v)
{
	set_contexts(c);
	v = c->range ? code_likely(c, v) : code_number(c, v);
	c->range = 0;
	note(c, v);
	return v;
}

unsigned char rsd_coder_byte(struct rsd_coder *c, unsigned char byte)
{
	unsigned node = 1;

	set_contexts(c);
	for (int i = 7; i >= 0; i--)
		node = node << 1 | (unsigned)decide(c, byte >> i & 1, node);
	note(c, node & 255);
	return (unsigned char)node;
}

/* ---- the coder as a whole ------------------------------------------------------------ */

void rsd_coder_field(struct rsd_coder *c, unsigned field, uint64_t hint, uint64_t at)
{
	c->field = field;
	c->hint = hint;
	c->at = at;
}

void rsd_coder_scope(struct rsd_coder *c, uint64_t key, uint64_t about)
{
	c->before = c->prefix;
	c->scope = key;
	c->about = about;
	c->prefix = 0;
}

void rsd_coder_range(struct rsd_coder *c, uint64_t range, int zeros)
{
	c->range = range;
	c->zeros = zeros;
}

struct rsd_coder *rsd_coder_new(size_t len)
{
	struct rsd_coder *c = rsd_calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->bits = 19 + rsd_coder_size(len);
	c->slot = rsd_calloc((size_t)1 << c->bits, sizeof(*c->slot));
	if (!c->slot) {
		free(c);
		return NULL;
	}
	fill_stretch(c);
	for (int i = 0; i <= LIMIT; i++)
		c->rate[i] = (uint16_t)(65536 * 2 / (2 * i + 3));
	for (int f = 0; f < RSD_NR_FIELDS; f++)
		for (int i = 0; i < CONTEXTS; i++)
			for (int k = 0; k < TRUST; k++)
				c->weight[f][i][k] = 65536 * 3 / 10;
	return c;
}

struct rsd_coder *rsd_coder_copy(const struct rsd_coder *c)
{
	size_t size = sizeof(*c->slot) << c->bits;
	struct rsd_coder *copy = rsd_malloc(sizeof(*copy));
	struct slot *slot = rsd_malloc(size);

	if (!copy || !slot) {
		free(copy);
		free(slot);
		return NULL;
	}
	*copy = *c;
	copy->slot = slot;
	memcpy(slot, c->slot, size);
	return copy;
}

void rsd_coder_free(struct rsd_coder *c)
{
	if (!c)
		return;
	free(c->slot);
	free(c);
}

void rsd_coder_encode(struct rsd_coder *c, struct rsd_buf *out)
{
	c->mode = ENCODE;
	c->out = out;
	c->low = 0;
	c->high = UINT32_MAX;
}

/* As few bytes as tell a number within the bounds; a reader finds zeros behind them. */
void rsd_coder_end(struct rsd_coder *c)
{
	for (int nr = 0; nr <= 4; nr++) {
		uint32_t v = nr ? c->high >> (32 - 8 * nr) << (32 - 8 * nr) : 0;

		if (v < c->low)
			continue;
		for (int i = 0; i < nr; i++)
			rsd_buf_put_byte(c->out, (unsigned char)(v >> (24 - 8 * i)));
		return;
	}
}

void rsd_coder_decode(struct rsd_coder *c, const void *data, size_t len)
{
	c->mode = DECODE;
	c->in = data;
	c->len = len;
	c->pos = 0;
	c->low = 0;
	c->high = UINT32_MAX;
	for (int i = 0; i < 4; i++)
		c->code = c->code << 8 | (c->pos < c->len ? c->in[c->pos++] : 0);
}
