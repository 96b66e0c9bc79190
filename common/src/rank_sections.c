/*
 * rank_sections.c - sets of ranks as text and bytes
 *
 * In memory a set is a list of runs. Faces of a 3D grid without its edges are a few of
 * them for each plane, and so more and more of them for larger grids, but always the same
 * ones. As text and bytes they are therefore sections, nested as those of a column: runs that come
 * again at a constant distance stand once, in brackets. Reading takes the brackets off again.
 */
#include <stdlib.h>
#include <string.h>

#include "coder.h"
#include "rank_recursive_impl.h"
#include "util.h"

#define PERIOD 64 /* that many elements may repeat */
#define PASSES 3
#define DEPTH 8		  /* brackets inside each other, dimensions included */
#define STEPS 2000	  /* of adding a run as it stands */
#define STEPS_UNFOLDED 16 /* of adding one out of brackets */
#define FEW 4		  /* runs, fewer of which are not worth a bracket */

/*
 * Brackets are a way to say much in a few bytes. What a text or message may say in all is bounded by
 * its length (rsd_reader_init); what is written stays well below that.
 */
#define ROOM_FREE 32768
#define ROOM_RATIO 2

struct element {
	struct rsd_run run;
	int count, stride; /* brackets: how often, how far apart; 0: a run */
	size_t body;	   /* so many elements follow that are in the brackets */
};

struct list {
	struct element *e;
	size_t nr, alloc;
};

/* ---- folding ---------------------------------------------------------------------- */

static bool same_shape(const struct element *x, const struct element *y)
{
	if (x->count != y->count || x->stride != y->stride || x->body != y->body ||
		x->run.nr_dims != y->run.nr_dims)
		return false;
	for (int i = 0; i < x->run.nr_dims; i++)
		if (x->run.dim[i].count != y->run.dim[i].count ||
			x->run.dim[i].stride != y->run.dim[i].stride)
			return false;
	return true;
}

/* Are elements y[0..nr) x[0..nr), all of them 'distance' further on? */
static bool same_block(
	const struct element *x, const struct element *y, size_t nr, int64_t distance)
{
	for (size_t i = 0; i < nr; i++)
		if (!same_shape(&x[i], &y[i]) ||
			(!x[i].count && (int64_t)y[i].run.first - x[i].run.first != distance))
			return false;
	return true;
}

static int first_rank(const struct element *e)
{
	while (e->count)
		e++;
	return e->run.first;
}

struct repeat {
	size_t len; /* elements */
	int64_t count, stride;
};

/* What repeats from e[0] on and leaves out the most. False: nothing is worth it. */
static bool find_repeat(const struct element *e, size_t nr, struct repeat *best)
{
	size_t len = 0, most = 1;

	for (int period = 0; period < PERIOD; period++) {
		int64_t distance, count = 1;

		len += 1 + e[len].body;
		if (2 * len > nr)
			break;
		if (!same_shape(e, e + len))
			continue;
		distance = (int64_t)first_rank(e + len) - first_rank(e);
		while ((size_t)(count + 1) * len <= nr &&
			same_block(e, e + (size_t)count * len, len, count * distance))
			count++;
		if ((size_t)(count - 1) * len > most + 1) {
			most = (size_t)(count - 1) * len - 1;
			*best = (struct repeat){ len, count, distance };
		}
	}
	return most > 1;
}

/* How deep brackets nest in e[0..nr): as text, where a run has them around all its dimensions but one. */
static int height_of(const struct element *e, size_t nr)
{
	int most = 0;

	for (size_t i = 0; i < nr; i += 1 + e[i].body) {
		int h = e[i].count ? 1 + height_of(&e[i + 1], e[i].body) : e[i].run.nr_dims - 1;

		if (h > most)
			most = h;
	}
	return most;
}

/* Puts brackets around what repeats in e[0..nr), itself in 'outer' of them; returns how many elements are left. */
static size_t fold(struct element *e, size_t nr, int outer)
{
	size_t to = 0;

	for (size_t i = 0, len; i < nr; i += len) {
		struct repeat r;
		size_t body;

		len = 1 + e[i].body;
		if (!find_repeat(e + i, nr - i, &r) ||
			outer + 1 + height_of(e + i, r.len) > DEPTH) {
			memmove(e + to, e + i, len * sizeof(*e));
			to += len;
			continue;
		}
		/* There is room in front of the body: two rounds at least become one. */
		len = (size_t)r.count * r.len;
		memmove(e + to + 1, e + i, r.len * sizeof(*e));
		body = fold(e + to + 1, r.len, outer + 1);
		e[to] = (struct element){
			.count = (int)r.count, .stride = (int)r.stride, .body = body
		};
		to += 1 + body;
	}
	return to;
}

/*
 * The elements of 's', in brackets if 'out' may have them; 'few' serves for small sets. NULL
 * on no memory.
 */
static struct element *elements_of(
	const struct rsd_ranks *s, struct element *few, size_t *nr, struct rsd_buf *out)
{
	struct element *e = s->nr < FEW ? few : rsd_calloc(s->nr, sizeof(*e));

	*nr = s->nr;
	for (size_t i = 0; e && i < s->nr; i++)
		e[i] = (struct element){ .run = s->run[i] };
	if (!e)
		out->err = RSD_ERR_NOMEM;
	if (!e || s->nr < FEW || out->unfolded == RSD_BUF_PLAIN ||
		out->unfolded + s->nr > ROOM_FREE + ROOM_RATIO * out->len)
		return e;
	for (int pass = 0; pass < PASSES; pass++) {
		size_t before = *nr;

		*nr = fold(e, before, 0);
		if (*nr == before)
			break;
	}
	if (*nr < s->nr)
		out->unfolded += s->nr;
	return e;
}

/* ---- unfolding -------------------------------------------------------------------- */

struct source { /* a set being read */
	struct rsd_ranks_build build;
	struct list list; /* one run, or one bracket with what is in it */
	int limit;
	size_t *room;
};

static struct element *add_element(struct list *l)
{
	if (RSD_GROW(l->e, l->nr + 1, l->alloc))
		return NULL;
	l->e[l->nr] = (struct element){ .count = 0 };
	return &l->e[l->nr++];
}

/* Adds what the elements stand for, 'shift' further on. */
static int unfold(struct source *s, const struct element *e, size_t nr, int64_t shift)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i += 1 + e[i].body) {
		struct rsd_run r = e[i].run;

		for (int64_t k = 0; k < e[i].count && !err; k++)
			err = unfold(s, &e[i + 1], e[i].body, shift + k * e[i].stride);
		if (e[i].count || err)
			continue;
		if (r.first + shift >= s->limit || !*s->room)
			return RSD_ERR_FORMAT;
		--*s->room;
		s->build.budget += STEPS_UNFOLDED;
		r.first += (int)shift;
		err = rsd_ranks_add_checked(&s->build, &r, s->limit);
	}
	return err;
}

/* Adds the list to the set, and empties it. */
static int flush(struct source *s)
{
	const struct list *l = &s->list;
	int err;

	s->build.budget += STEPS;
	err = l->nr == 1 && !l->e[0].count
		      ? rsd_ranks_add_checked(&s->build, &l->e[0].run, s->limit)
		      : unfold(s, l->e, l->nr, 0);

	s->list.nr = 0;
	return err;
}

/* ---- text --------------------------------------------------------------------------- */

static void print_run(const struct rsd_run *r, struct rsd_buf *out)
{
	int d = r->nr_dims;

	for (int i = 1; i < d; i++)
		rsd_buf_put_byte(out, '(');
	rsd_buf_printf(out, "%d", r->first);
	if (d > 0) {
		rsd_buf_printf(
			out, "-%d", r->first + (r->dim[d - 1].count - 1) * r->dim[d - 1].stride);
		if (r->dim[d - 1].stride != 1)
			rsd_buf_printf(out, ":%d", r->dim[d - 1].stride);
	}
	for (int i = d - 2; i >= 0; i--)
		rsd_buf_printf(out, ")+%d*%d", r->dim[i].stride, r->dim[i].count);
}

static void print_elements(const struct element *e, size_t nr, struct rsd_buf *out)
{
	for (size_t i = 0; i < nr; i += 1 + e[i].body) {
		if (i)
			rsd_buf_put_byte(out, ',');
		if (!e[i].count) {
			print_run(&e[i].run, out);
			continue;
		}
		rsd_buf_put_byte(out, '(');
		print_elements(&e[i + 1], e[i].body, out);
		rsd_buf_printf(out, ")+%d*%d", e[i].stride, e[i].count);
	}
}

/* The empty set is "-": every text has a letter at least. */
void rsd_ranks_print(const struct rsd_ranks *s, struct rsd_buf *out)
{
	struct element few[FEW], *e;
	size_t nr;

	if (!s->nr)
		rsd_buf_put_byte(out, '-');
	e = elements_of(s, few, &nr, out);
	if (e)
		print_elements(e, nr, out);
	if (e != few)
		free(e);
}

#define MOST_SHOWN 8 /* one by one */

void rsd_ranks_show(const struct rsd_ranks *s, struct rsd_buf *out)
{
	size_t nr = rsd_ranks_count(s);
	const char *comma = " ";

	rsd_buf_printf(out, "rank%s", nr == 1 ? "" : "s");
	if (!nr || nr > MOST_SHOWN) {
		rsd_buf_put_byte(out, ' ');
		rsd_ranks_print(s, out);
		return;
	}
	for (int i = rsd_ranks_first(s), last; i >= 0; i = rsd_ranks_next(s, last)) {
		for (last = i; rsd_ranks_has(s, last + 1);)
			last++;
		if (last < i + 2) /* two are no range */
			last = i;
		rsd_buf_printf(out, "%s%d", comma, i);
		if (last > i)
			rsd_buf_printf(out, "-%d", last);
		comma = ",";
	}
}

struct text {
	const char *s;
	size_t len, pos;
	int err;
};

static bool accept(struct text *t, char c)
{
	if (t->pos >= t->len || t->s[t->pos] != c)
		return false;
	t->pos++;
	return true;
}

static int number(struct text *t)
{
	int64_t v = 0;
	size_t start = t->pos;

	while (t->pos < t->len && t->s[t->pos] >= '0' && t->s[t->pos] <= '9' && v <= INT32_MAX)
		v = v * 10 + (t->s[t->pos++] - '0');
	if (t->pos == start || v > INT32_MAX)
		t->err = RSD_ERR_FORMAT;
	return t->err ? 0 : (int)v;
}

static void parse_run(struct text *t, struct list *l)
{
	struct element *e = add_element(l);

	if (!e) {
		t->err = RSD_ERR_NOMEM;
		return;
	}
	e->run.first = number(t);
	if (accept(t, '-')) {
		int last = number(t), stride = accept(t, ':') ? number(t) : 1;

		if (t->err || stride < 1 || last <= e->run.first || (last - e->run.first) % stride)
			t->err = RSD_ERR_FORMAT;
		else
			e->run =
				rsd_run_repeat(&e->run, (last - e->run.first) / stride + 1, stride);
	}
}

/* Brackets around a run are one more dimension, as long as it may have more. */
static void close_bracket(struct list *l, size_t at, int stride, int count)
{
	struct element *e = &l->e[at];

	if (l->nr == at + 2 && !e[1].count && e[1].run.nr_dims < RSD_RUN_DIMS) {
		e->run = rsd_run_repeat(&e[1].run, count, stride);
		l->nr--;
		return;
	}
	e->count = count;
	e->stride = stride;
	e->body = l->nr - at - 1;
}

static void parse_item(struct text *t, struct list *l, int depth)
{
	size_t at = l->nr;
	int stride, count;

	if (!accept(t, '(')) {
		parse_run(t, l);
		return;
	}
	if (depth == DEPTH)
		t->err = RSD_ERR_FORMAT;
	else if (!add_element(l))
		t->err = RSD_ERR_NOMEM;
	if (t->err)
		return;
	do
		parse_item(t, l, depth + 1);
	while (!t->err && accept(t, ','));
	if (!accept(t, ')') || !accept(t, '+'))
		t->err = t->err ? t->err : RSD_ERR_FORMAT;
	stride = number(t);
	if (!accept(t, '*'))
		t->err = t->err ? t->err : RSD_ERR_FORMAT;
	count = number(t);
	if (!t->err && (count < 2 || stride < 1))
		t->err = RSD_ERR_FORMAT;
	if (!t->err)
		close_bracket(l, at, stride, count);
}

int rsd_ranks_parse(struct rsd_ranks *out, const char *s, size_t len, int limit, size_t *room)
{
	struct source src = { .build = { out, 0 }, .limit = limit, .room = room };
	struct text t = { .s = s, .len = len };

	out->nr = 0;
	if (len == 1 && s[0] == '-')
		return 0;
	do {
		parse_item(&t, &src.list, 0);
		if (!t.err)
			t.err = flush(&src);
	} while (!t.err && accept(&t, ','));
	free(src.list.e);
	return !t.err && t.pos != t.len ? RSD_ERR_FORMAT : t.err;
}

/* ---- bytes -------------------------------------------------------------------------- */

/* A run of one dimension has a count above 1: with 0 it is the head of a bracket. */
enum { BRACKET_HEAD = 1, BRACKET_COUNT = 0 };

static void put_dim(uint64_t count, uint64_t stride, struct rsd_buf *out)
{
	rsd_buf_field(out, RSD_FIELD_RANK_DIM, 0);
	rsd_buf_put_uint(out, count);
	rsd_buf_field(out, RSD_FIELD_RANK_DIM, 1);
	rsd_buf_put_uint(out, stride);
}

static int encode_elements(const struct element *e, size_t nr, int last, struct rsd_buf *out)
{
	for (size_t i = 0; i < nr; i += 1 + e[i].body) {
		const struct rsd_run *r = &e[i].run;

		rsd_buf_field(out, RSD_FIELD_RANK_FIRST, 0);
		if (e[i].count) {
			rsd_buf_put_uint(out, BRACKET_HEAD);
			put_dim(BRACKET_COUNT, (uint64_t)e[i].stride, out);
			rsd_buf_field(out, RSD_FIELD_RANK_DIM, 2);
			rsd_buf_put_uint(out, (uint64_t)e[i].count);
			rsd_buf_field(out, RSD_FIELD_RANK_DIM, 3);
			rsd_buf_put_uint(out, e[i].body);
			last = encode_elements(&e[i + 1], e[i].body, last, out) +
			       (e[i].count - 1) * e[i].stride;
			continue;
		}
		rsd_buf_put_uint(out, (uint64_t)(r->first - last - 1) * (RSD_RUN_DIMS + 1) +
					      (unsigned)r->nr_dims);
		for (int j = 0; j < r->nr_dims; j++)
			put_dim((uint64_t)r->dim[j].count, (uint64_t)r->dim[j].stride, out);
		last = rsd_run_last(r);
	}
	return last;
}

void rsd_ranks_encode(const struct rsd_ranks *s, struct rsd_buf *out)
{
	struct element few[FEW], *e;
	size_t nr;

	e = elements_of(s, few, &nr, out);
	rsd_buf_field(out, RSD_FIELD_RANK_RUNS, 0);
	rsd_buf_put_uint(out, nr);
	if (e)
		encode_elements(e, nr, -1, out);
	if (e != few)
		free(e);
}

/* A run or the head of a bracket; '*last' is the member before, and then the last of the run. */
static void decode_element(struct element *e, struct rsd_reader *in, int *last)
{
	uint64_t v, delta;
	int64_t end;

	rsd_reader_field(in, RSD_FIELD_RANK_FIRST, 0);
	v = rsd_reader_uint(in);
	delta = v / (RSD_RUN_DIMS + 1);
	e->run.nr_dims = (int)(v % (RSD_RUN_DIMS + 1));
	if (delta >= (uint64_t)((int64_t)INT32_MAX - *last))
		in->err = RSD_ERR_FORMAT;
	else
		e->run.first = *last + 1 + (int)delta;
	end = e->run.first;
	for (int i = 0; i < e->run.nr_dims; i++) {
		uint64_t count, stride;

		rsd_reader_field(in, RSD_FIELD_RANK_DIM, 0);
		count = rsd_reader_uint(in);
		rsd_reader_field(in, RSD_FIELD_RANK_DIM, 1);
		stride = rsd_reader_uint(in);
		if (v == BRACKET_HEAD && count == BRACKET_COUNT) {
			uint64_t rounds;

			rsd_reader_field(in, RSD_FIELD_RANK_DIM, 2);
			rounds = rsd_reader_uint(in);
			if (stride < 1 || stride > INT32_MAX || rounds < 2 || rounds > INT32_MAX)
				in->err = RSD_ERR_FORMAT;
			*e = (struct element){ .count = (int)rounds, .stride = (int)stride };
			rsd_reader_field(in, RSD_FIELD_RANK_DIM, 3);
			e->body = rsd_reader_count(in, 1);
			return;
		}
		if (count > INT32_MAX || stride > INT32_MAX) {
			in->err = RSD_ERR_FORMAT;
			return;
		}
		e->run.dim[i].count = (int)count;
		e->run.dim[i].stride = (int)stride;
		end += ((int64_t)count - 1) * (int64_t)stride;
		if (end > INT32_MAX || end < e->run.first)
			in->err = RSD_ERR_FORMAT;
		if (in->err)
			return;
	}
	*last = (int)end;
}

/* Reads a run, or a bracket and what is in it: no more than '*left' elements, which is lessened. */
static int decode_item(struct list *l, struct rsd_reader *in, uint64_t *left, int *last, int depth)
{
	struct element *e = add_element(l);
	size_t at = l->nr - 1;
	uint64_t body;
	int64_t end;
	int err = 0;

	if (!e)
		return RSD_ERR_NOMEM;
	decode_element(e, in, last);
	--*left;
	body = e->body;
	if (in->err || (e->count && (!body || body > *left || depth == DEPTH)))
		return RSD_ERR_FORMAT;
	*left -= body;
	while (body && !err)
		err = decode_item(l, in, &body, last, depth + 1);
	e = &l->e[at];
	end = *last + (e->count ? (int64_t)(e->count - 1) * e->stride : 0);
	if (!err && end > INT32_MAX)
		err = RSD_ERR_FORMAT;
	*last = (int)end;
	return err;
}

int rsd_ranks_decode(struct rsd_ranks *out, struct rsd_reader *in, int limit)
{
	struct source src = { .build = { out, 0 }, .limit = limit, .room = &in->room };
	int err, last = -1;
	uint64_t nr;

	rsd_reader_field(in, RSD_FIELD_RANK_RUNS, 0);
	nr = rsd_reader_count(in, 1);
	err = in->err;
	out->nr = 0;
	while (nr && !err) {
		err = decode_item(&src.list, in, &nr, &last, 0);
		if (!err)
			err = flush(&src);
	}
	free(src.list.e);
	if (err == RSD_ERR_FORMAT)
		in->err = err;
	return err;
}
