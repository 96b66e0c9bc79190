/*
 * Items as bytes. Each begins with an unsigned varint whose low 3 bits say what it is:
 *
 *	ONE	one value			delta
 *	SAME	a run of stride 0		delta, count
 *	RUN	any other run			delta, count, stride
 *	CONST	one constant			its index
 *	CONSTS	a run of a constant		its index, count
 *	REP	a rep				flat items of the body, count, shift
 *	WIDE	the kind is in the other bits; the delta, which did not fit there, follows
 *	MOVE	a move of the run that follows	level, shift
 *
 * The first number is in the other bits. A delta is the difference to the last value of
 * the run before, zigzag; to 0 at the beginning, after constants as if they were not there,
 * and at the beginning of a body.
 */
#include <stdlib.h>
#include <string.h>

#include "coder.h"
#include "params_queue_impl.h"
#include "util.h"

enum { ONE, SAME, RUN, CONST, CONSTS, REP, WIDE, MOVE };

static uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

void rsd_item_encode(const struct rsd_item *i, int64_t *prev, struct rsd_buf *out)
{
	uint64_t delta;
	unsigned kind;

	rsd_buf_field(out, RSD_FIELD_ITEM, 0);
	if (rsd_item_is_rep(i)) {
		rsd_buf_put_uint(out, (uint64_t)i->stride << 3 | REP);
		rsd_buf_field(out, RSD_FIELD_COUNT, 0);
		rsd_buf_put_uint(out, rsd_item_count(i));
		rsd_buf_field(out, RSD_FIELD_STEP, 0);
		rsd_buf_put_int(out, i->start);
		*prev = 0;
		return;
	}
	if (rsd_item_is_move(i)) {
		rsd_buf_put_uint(out, (uint64_t)rsd_item_level(i) << 3 | MOVE);
		rsd_buf_field(out, RSD_FIELD_STEP, 1);
		rsd_buf_put_int(out, i->start);
		return;
	}
	if (rsd_is_const(i->start)) {
		rsd_buf_put_uint(out, (uint64_t)rsd_const_index(i->start) << 3 |
					      (i->count == 1 ? CONST : CONSTS));
		rsd_buf_field(out, RSD_FIELD_COUNT, 0);
		if (i->count > 1)
			rsd_buf_put_uint(out, i->count);
		return;
	}
	kind = i->count == 1 ? ONE : i->stride ? RUN : SAME;
	delta = zigzag(rsd_wrap_sub(i->start, *prev));
	if (delta >> 61) {
		rsd_buf_put_uint(out, kind << 3 | WIDE);
		rsd_buf_put_uint(out, delta);
	} else {
		rsd_buf_put_uint(out, delta << 3 | kind);
	}
	rsd_buf_field(out, RSD_FIELD_COUNT, 0);
	if (i->count > 1)
		rsd_buf_put_uint(out, i->count);
	rsd_buf_field(out, RSD_FIELD_STEP, 0);
	if (kind == RUN)
		rsd_buf_put_int(out, i->stride);
	*prev = rsd_item_last(i);
}

void rsd_item_decode(struct rsd_item *i, int64_t *prev, struct rsd_reader *in)
{
	uint64_t v;
	unsigned kind;

	rsd_reader_field(in, RSD_FIELD_ITEM, 0);
	v = rsd_reader_uint(in);
	kind = v & 7;

	*i = (struct rsd_item){ .count = 1 };
	if (kind == ONE && !in->coder) {
		*prev = i->start = rsd_wrap_add(*prev, unzigzag(v >> 3));
		return;
	}
	v >>= 3;
	if (kind == REP) {
		i->stride = (int64_t)v;
		rsd_reader_field(in, RSD_FIELD_COUNT, 0);
		i->count = rsd_reader_uint(in);
		rsd_reader_field(in, RSD_FIELD_STEP, 0);
		i->start = rsd_reader_int(in);
		if (i->count >= RSD_COLUMN_MAX_LENGTH)
			in->err = RSD_ERR_FORMAT;
		i->count |= RSD_ITEM_REP;
		*prev = 0;
		return;
	}
	if (kind == MOVE) {
		rsd_reader_field(in, RSD_FIELD_STEP, 1);
		i->start = rsd_reader_int(in);
		i->count = RSD_ITEM_MOVE | v;
		if (v >= RSD_COLUMN_DEPTH)
			in->err = RSD_ERR_FORMAT;
		return;
	}
	if (kind == WIDE) {
		kind = (unsigned)v & 7;
		if (v > RUN)
			in->err = RSD_ERR_FORMAT;
		v = rsd_reader_uint(in);
	}
	if (kind == CONST || kind == CONSTS) {
		if (v >= RSD_CONST_MAX)
			in->err = RSD_ERR_FORMAT;
		i->start = RSD_CONST(v & (RSD_CONST_MAX - 1));
	} else {
		i->start = rsd_wrap_add(*prev, unzigzag(v));
	}
	rsd_reader_field(in, RSD_FIELD_COUNT, 0);
	if (kind == SAME || kind == RUN || kind == CONSTS)
		i->count = rsd_reader_uint(in);
	rsd_reader_field(in, RSD_FIELD_STEP, 0);
	if (kind == RUN)
		i->stride = rsd_reader_int(in);
	if (kind >= WIDE || i->count >= RSD_COLUMN_MAX_LENGTH)
		in->err = RSD_ERR_FORMAT;
	if (kind != CONST && kind != CONSTS)
		*prev = rsd_item_last(i);
}

size_t rsd_items_literals(struct rsd_reader *in, int64_t *prev, int64_t offset, int64_t *out,
	size_t max, uint64_t *nr)
{
	uint64_t most = *nr;
	size_t n = 0;

	for (*nr = 0; *nr < most && n + RSD_SHORT_RUN <= max && in->pos < in->len; ++*nr) {
		int64_t before = *prev;
		size_t at = in->pos;
		struct rsd_item i;

		rsd_item_decode(&i, prev, in);
		if (i.count > RSD_SHORT_RUN) { /* brackets and moves, too: by their marks */
			in->pos = at;
			*prev = before;
			break;
		}
		if (!rsd_is_const(i.start))
			i.start = rsd_wrap_add(i.start, offset);
		out[n++] = i.start;
		for (uint64_t k = 1; k < i.count; k++, n++)
			out[n] = rsd_wrap_add(out[n - 1], i.stride);
	}
	return n;
}

void rsd_items_check_start(struct rsd_items_check *k, uint64_t nr, bool symbolic)
{
	k->depth = 0;
	k->left[0] = nr;
	k->length[0] = 0;
	k->count[0] = 1;
	k->moves = 0;
	k->symbolic = symbolic;
}

/* Bodies that are complete count for the level above. */
static int check_ends(struct rsd_items_check *k)
{
	while (k->depth > 0 && !k->left[k->depth]) {
		uint64_t len, *above = &k->length[k->depth - 1];

		if (__builtin_mul_overflow(k->length[k->depth], k->count[k->depth], &len) ||
			len >= RSD_COLUMN_MAX_LENGTH - *above)
			return RSD_ERR_FORMAT;
		*above += len;
		k->depth--;
	}
	return 0;
}

/* A move is of a rep around it; the innermost comes first, and after the last one a run. */
static int check_move(struct rsd_items_check *k, const struct rsd_item *i)
{
	int level = rsd_item_level(i);

	if (level < k->moves || level >= k->depth || !k->left[k->depth] || k->symbolic)
		return RSD_ERR_FORMAT;
	k->moves = level + 1;
	return 0;
}

int rsd_items_check_next(struct rsd_items_check *k, const struct rsd_item *i)
{
	uint64_t body = (uint64_t)i->stride;
	bool constant = rsd_is_const(i->start), moved;

	if (!k->left[k->depth])
		return RSD_ERR_FORMAT;
	k->left[k->depth]--;
	if (rsd_item_is_move(i))
		return check_move(k, i);
	moved = k->moves > 0;
	k->moves = 0;
	if (moved && (rsd_item_is_rep(i) || constant))
		return RSD_ERR_FORMAT;
	if (rsd_item_is_rep(i)) {
		if (!body || body > k->left[k->depth] || !rsd_item_count(i) ||
			k->depth + 1 >= RSD_COLUMN_DEPTH || (i->start && (k->symbolic || constant)))
			return RSD_ERR_FORMAT;
		k->left[k->depth] -= body;
		k->depth++;
		k->left[k->depth] = body;
		k->length[k->depth] = 0;
		k->count[k->depth] = rsd_item_count(i);
		return 0;
	}
	if (!i->count || i->count >= RSD_COLUMN_MAX_LENGTH - k->length[k->depth] ||
		(i->stride && (k->symbolic || constant || i->count == 1)))
		return RSD_ERR_FORMAT;
	k->length[k->depth] += i->count;
	return check_ends(k);
}

int rsd_items_check_end(const struct rsd_items_check *k, uint64_t *length)
{
	if (k->depth || k->left[0])
		return RSD_ERR_FORMAT;
	*length = k->length[0];
	return 0;
}

static uint64_t nr_items(const struct rsd_column *c)
{
	struct rsd_item_place p;

	rsd_item_place_start(&p, c);
	return p.nr_live + (c->frozen ? c->frozen->nr : 0);
}

/* The items' number, twice, plus 1 if symbolic; the items. */
void rsd_column_encode(const struct rsd_column *c, struct rsd_buf *out)
{
	int64_t prev = 0;
	struct rsd_item_place p;
	struct rsd_item i;

	if (c->err)
		out->err = c->err;
	rsd_item_place_start(&p, c);
	rsd_buf_field(out, RSD_FIELD_ITEMS, 0);
	rsd_buf_put_uint(out, nr_items(c) << 1 | c->symbolic);
	if (c->frozen && !out->coder) {
		rsd_buf_put(out, c->frozen->bytes.data, c->frozen->bytes.len);
		prev = c->frozen->prev;
		p.byte = c->frozen->bytes.len;
	}
	while (rsd_item_place_next(&p, c, &i))
		rsd_item_encode(&i, &prev, out);
}

size_t rsd_column_size(const struct rsd_column *c)
{
	int64_t prev = c->frozen ? c->frozen->prev : 0;
	struct rsd_buf b = RSD_BUF_INIT;
	struct rsd_item_place p;
	struct rsd_item i;
	size_t len = 0;

	rsd_item_place_start(&p, c);
	rsd_buf_put_uint(&b, nr_items(c) << 1);
	if (c->frozen)
		len = p.byte = c->frozen->bytes.len;
	while (rsd_item_place_next(&p, c, &i)) {
		rsd_item_encode(&i, &prev, &b);
		if (b.len > 4096) {
			len += b.len;
			rsd_buf_reset(&b);
		}
	}
	len += b.len;
	rsd_buf_release(&b);
	return len;
}

int rsd_column_decode(struct rsd_column **out, struct rsd_reader *in)
{
	struct rsd_column *c;
	struct rsd_items_check check;
	struct rsd_item i;
	uint64_t head, nr;
	size_t start;
	int64_t prev = 0;

	rsd_reader_field(in, RSD_FIELD_ITEMS, 0);
	head = rsd_reader_uint(in);
	nr = head >> 1;
	start = in->pos;
	if (!in->err && nr > in->len - in->pos)
		in->err = RSD_ERR_FORMAT;
	if (in->err)
		return in->err;
	c = rsd_column_new(head & 1);
	if (!c)
		return RSD_ERR_NOMEM;
	rsd_items_check_start(&check, nr, c->symbolic);
	for (uint64_t n = 0; !in->err && n < nr; n++) {
		rsd_item_decode(&i, &prev, in);
		if (!in->err)
			in->err = rsd_items_check_next(&check, &i);
	}
	if (!in->err)
		in->err = rsd_items_check_end(&check, &c->length);
	if (in->err) {
		rsd_column_free(c);
		return in->err;
	}
	*out = c;
	if (!nr)
		return 0;
	c->frozen = rsd_calloc(1, sizeof(*c->frozen));
	if (c->frozen) {
		rsd_buf_put(&c->frozen->bytes, in->data + start, in->pos - start);
		c->frozen->nr = nr;
		c->frozen->prev = prev;
	}
	if (c->frozen && !c->frozen->bytes.err)
		return 0;
	rsd_column_free(c);
	*out = NULL;
	return RSD_ERR_NOMEM;
}

/* Moves, innermost rep first: nothing where the run has none for a rep. */
static void print_moves(const struct rsd_item *move, int nr, struct rsd_buf *out)
{
	int level = 0;

	for (int i = 0; i < nr; i++) {
		rsd_buf_put_byte(out, i ? ',' : '{');
		for (; level < rsd_item_level(&move[i]); level++)
			rsd_buf_put_byte(out, ',');
		rsd_buf_printf(out, "%+lld", (long long)move[i].start);
		level++;
	}
	if (nr)
		rsd_buf_put_byte(out, '}');
}

/* Text: a value, with x and its count where it repeats; a constant is c and its index. */
static void print_run(const struct rsd_item *i, struct rsd_buf *out)
{
	if (rsd_is_const(i->start))
		rsd_buf_printf(out, "c%d", rsd_const_index(i->start));
	else
		rsd_buf_printf(out, "%lld", (long long)i->start);
	if (i->stride)
		rsd_buf_printf(out, "%+lld", (long long)i->stride);
	if (i->count > 1)
		rsd_buf_printf(out, "x%llu", (unsigned long long)i->count);
}

static void print_items(
	const struct rsd_column *c, struct rsd_item_place *p, uint64_t nr, struct rsd_buf *out)
{
	struct rsd_item i, move[RSD_COLUMN_DEPTH];
	int moves = 0;

	for (bool first = true; nr && rsd_item_place_next(p, c, &i); first = false) {
		nr--;
		if (!first && !moves)
			rsd_buf_put_byte(out, ' ');
		if (rsd_item_is_move(&i)) {
			move[moves++] = i;
			continue;
		}
		if (!rsd_item_is_rep(&i)) {
			print_run(&i, out);
			print_moves(move, moves, out);
			moves = 0;
			continue;
		}
		nr -= (uint64_t)i.stride;
		rsd_buf_put_byte(out, '(');
		print_items(c, p, (uint64_t)i.stride, out);
		rsd_buf_put_byte(out, ')');
		if (i.start)
			rsd_buf_printf(out, "%+lld", (long long)i.start);
		rsd_buf_printf(out, "x%llu", (unsigned long long)rsd_item_count(&i));
	}
}

/* A column without values is "-". */
void rsd_column_print(const struct rsd_column *c, struct rsd_buf *out)
{
	struct rsd_item_place p;

	if (!c->length)
		rsd_buf_put_byte(out, '-');
	rsd_item_place_start(&p, c);
	print_items(c, &p, UINT64_MAX, out);
}

struct text {
	const char *s;
	size_t len, pos;
	struct rsd_item *item;
	size_t nr, alloc;
	int err;
};

static bool is_digit(const struct text *t, size_t at)
{
	return at < t->len && t->s[at] >= '0' && t->s[at] <= '9';
}

static bool accept(struct text *t, char c)
{
	if (t->pos >= t->len || t->s[t->pos] != c)
		return false;
	t->pos++;
	return true;
}

static uint64_t parse_uint(struct text *t)
{
	const char *s = t->s + t->pos, *end = t->s + t->len;
	uint64_t v = 0;

	if (s == end || *s < '0' || *s > '9')
		t->err = RSD_ERR_FORMAT;
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (unsigned)(*s - '0'), &v))
			t->err = RSD_ERR_FORMAT;
	}
	t->pos = (size_t)(s - t->s);
	return v;
}

static int64_t parse_int(struct text *t)
{
	bool minus = accept(t, '-');
	uint64_t v = parse_uint(t);

	if (v > (uint64_t)INT64_MAX + minus)
		t->err = RSD_ERR_FORMAT;
	return (int64_t)(minus ? 0 - v : v);
}

/* "+8" or "-8", or nothing: 0. */
static int64_t parse_step(struct text *t)
{
	if (t->pos < t->len && t->s[t->pos] == '-')
		return parse_int(t);
	return accept(t, '+') ? parse_int(t) : 0;
}

static uint64_t parse_count(struct text *t)
{
	uint64_t v = accept(t, 'x') ? parse_uint(t) : 1;

	if (!v || v >= RSD_COLUMN_MAX_LENGTH)
		t->err = RSD_ERR_FORMAT;
	return v;
}

static void parse_items(struct text *t, int depth);

static void add_item(struct text *t, struct rsd_item item)
{
	if (!t->err && RSD_GROW(t->item, t->nr + 1, t->alloc))
		t->err = RSD_ERR_NOMEM;
	if (!t->err)
		t->item[t->nr++] = item;
}

/* Behind the bracket. */
static void parse_rep(struct text *t, int depth)
{
	size_t head = t->nr;
	struct rsd_item i = { .count = 1 };

	if (depth >= RSD_COLUMN_DEPTH)
		t->err = RSD_ERR_FORMAT;
	add_item(t, i);
	if (t->err)
		return;
	parse_items(t, depth + 1);
	if (!t->err && !accept(t, ')'))
		t->err = RSD_ERR_FORMAT;
	if (t->err)
		return;
	i.start = parse_step(t);
	i.stride = (int64_t)(t->nr - head - 1);
	i.count = parse_count(t) | RSD_ITEM_REP;
	t->item[head] = i;
}

/* Behind the brace: the moves of a run. As items they come before it. */
static void parse_moves(struct text *t)
{
	for (uint64_t level = 0; !t->err && !accept(t, '}'); level++) {
		if (level >= RSD_COLUMN_DEPTH || (level && !accept(t, ',')))
			t->err = RSD_ERR_FORMAT;
		else if (t->pos < t->len && (t->s[t->pos] == '+' || t->s[t->pos] == '-'))
			add_item(t, (struct rsd_item){ parse_step(t), 0, RSD_ITEM_MOVE | level });
	}
}

static void parse_run(struct text *t)
{
	struct rsd_item i = { 0 };

	if (accept(t, 'c')) {
		uint64_t v = parse_uint(t);

		if (v >= RSD_CONST_MAX)
			t->err = RSD_ERR_FORMAT;
		i.start = RSD_CONST(v & (RSD_CONST_MAX - 1));
	} else {
		i.start = parse_int(t);
		if (rsd_is_const(i.start))
			t->err = RSD_ERR_FORMAT;
	}
	i.stride = parse_step(t);
	i.count = parse_count(t);
	if (accept(t, '{'))
		parse_moves(t);
	add_item(t, i);
}

static void parse_item(struct text *t, int depth)
{
	if (accept(t, '('))
		parse_rep(t, depth);
	else
		parse_run(t);
}

/* Items parted by single blanks; a blank that no item follows is not ours. */
static void parse_items(struct text *t, int depth)
{
	for (;;) {
		size_t at;

		parse_item(t, depth);
		at = t->pos + 1;
		if (t->err || t->pos >= t->len || t->s[t->pos] != ' ' || at >= t->len)
			return;
		if (t->s[at] != '(' && !is_digit(t, at) &&
			!((t->s[at] == '-' || t->s[at] == 'c') && is_digit(t, at + 1)))
			return;
		t->pos++;
	}
}

int rsd_column_parse(struct rsd_column **out, const char *s, size_t len, bool symbolic, size_t *end)
{
	struct text t = { .s = len ? s : "", .len = len };

	if (len && s[0] == '-' && !is_digit(&t, 1))
		t.pos = 1;
	else
		parse_items(&t, 0);
	if (!t.err) {
		*out = rsd_column_from_items(t.item, t.nr, symbolic, &t.err);
		if (*out)
			t.err = 0;
	}
	*end = t.pos;
	free(t.item);
	return t.err;
}
