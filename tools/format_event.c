/* format_event.c - see format.h: events, from texts that format.c has prepared */
#include "format_texts.h"

#include <string.h>
#include "hash.h"
#include "util.h"

static void put(struct rsd_buf *out, const char *s)
{
	rsd_buf_put(out, s, strlen(s));
}

struct vector { /* the event's values that are still to come */
	const int64_t *v;
	size_t left;
};

static int64_t take(struct vector *in)
{
	if (!in->left)
		return RSD_ABSENT;
	in->left--;
	return *in->v++;
}

/* How many elements follow; the walk has checked them, a damaged count must still not run away. */
static size_t take_length(struct vector *in, int64_t n)
{
	if (rsd_is_const(n) || n < 0)
		return 0;
	return (uint64_t)n > in->left ? in->left : (size_t)n;
}

/* A status that follows its kind: {"source":1,"tag":5}; what has no value is left out. */
static void put_status(
	const struct rsd_format *f, struct vector *in, enum rsd_style style, struct rsd_buf *out)
{
	static const struct {
		const char *name;
		int role;
	} field[] = {
		{ "source", RSD_R_PEER },
		{ "tag", RSD_R_TAG },
		{ "error", RSD_R_ERROR },
	};
	bool first = true;

	rsd_buf_put_byte(out, '{');
	for (size_t i = 0; i < RSD_ARRAY_SIZE(field); i++) {
		int64_t v = take(in);

		if (v == RSD_ABSENT)
			continue;
		if (!first)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		first = false;
		if (style == RSD_STYLE_JSON)
			rsd_buf_put_byte(out, '"');
		put(out, field[i].name);
		put(out, style == RSD_STYLE_JSON ? "\":" : "=");
		rsd_format_value(f, field[i].role, v, style, out);
	}
	rsd_buf_put_byte(out, '}');
}

static void put_quoted(const char *s, enum rsd_style style, struct rsd_buf *out)
{
	rsd_buf_printf(out, style == RSD_STYLE_JSON ? "\"%s\"" : "%s", s);
}

static void skip_status(struct vector *in, int64_t kind)
{
	if (kind == RSD_STATUS_KEPT || kind == RSD_STATUS_MATCHED)
		for (int i = 0; i < 3; i++)
			take(in);
}

/* The statuses of a call, 'n' of them, or (n < 0) a single one. Takes the vector up to their end.
 */
static void put_statuses(struct rsd_format *f, struct vector *in, int64_t n, enum rsd_style style,
	struct rsd_buf *out)
{
	struct vector look = *in;
	bool ignored = false, kept = false, matched = false;
	size_t nr = n < 0 ? 1 : take_length(in, n);

	for (size_t i = 0; i < nr; i++) {
		int64_t kind = take(&look);

		kept |= kind == RSD_STATUS_KEPT;
		matched |= kind == RSD_STATUS_MATCHED;
		ignored |= kind == RSD_STATUS_IGNORED || kind == RSD_STATUS_MATCHED;
		skip_status(&look, kind);
	}
	if (ignored && !kept)
		put_quoted(n < 0 ? "MPI_STATUS_IGNORE" : "MPI_STATUSES_IGNORE", style, out);
	else if (n >= 0)
		rsd_buf_put_byte(out, '[');
	if (matched && n >= 0)
		rsd_buf_put_byte(&f->matched, '[');
	for (size_t i = 0; i < nr; i++) {
		int64_t kind = take(in);

		if (i && kept)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		if (i && matched)
			put(&f->matched, style == RSD_STYLE_JSON ? "," : ", ");
		if (kind == RSD_STATUS_KEPT)
			put_status(f, in, style, out);
		else if (kept)
			put(out, style == RSD_STYLE_JSON ? "null" : "-");
		if (kind == RSD_STATUS_MATCHED)
			put_status(f, in, style, &f->matched);
		else if (matched)
			put(&f->matched, style == RSD_STYLE_JSON ? "null" : "-");
	}
	if (n >= 0 && (kept || !ignored))
		rsd_buf_put_byte(out, ']');
	if (matched && n >= 0)
		rsd_buf_put_byte(&f->matched, ']');
}

/* Is the parameter that begins at 'in' significant in this call? */
static bool is_present(const struct rsd_param *p, struct vector in)
{
	int64_t v = take(&in);

	if (p->type == RSD_T_STATUS)
		return v != RSD_STATUS_ABSENT;
	if (p->type == RSD_T_STATUSES && !rsd_is_const(v) && v > 0) {
		for (size_t n = take_length(&in, v); n > 0; n--)
			if (take(&in) != RSD_STATUS_ABSENT)
				return true;
		return false;
	}
	if (p->role == RSD_R_BUFFER && p->type == RSD_T_INT)
		return rsd_is_const(v) && v != RSD_ABSENT;
	return v != RSD_ABSENT;
}

static void skip_param(const struct rsd_param *p, struct vector *in)
{
	int64_t v = take(in);

	if (p->type == RSD_T_STATUSES)
		for (size_t n = take_length(in, v); n > 0; n--)
			skip_status(in, take(in));
}

static void put_array(struct rsd_format *f, const struct rsd_param *p, struct vector *in,
	enum rsd_style style, struct rsd_buf *out)
{
	int64_t n = take(in);

	if (rsd_is_const(n)) {
		rsd_format_value(f, RSD_R_INT, n, style, out);
		return;
	}
	rsd_buf_put_byte(out, '[');
	for (size_t i = take_length(in, n); i > 0; i--) {
		int64_t v = take(in);

		if (v == RSD_ABSENT)
			put(out, style == RSD_STYLE_JSON ? "null" : "-");
		else
			rsd_format_value(f, p->role, v, style, out);
		if (i > 1)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
	}
	rsd_buf_put_byte(out, ']');
}

static void put_param(struct rsd_format *f, const struct rsd_param *p, struct vector *in,
	enum rsd_style style, struct rsd_buf *out)
{
	int64_t n;

	switch ((enum rsd_type)p->type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		rsd_format_value(f, p->role, take(in), style, out);
		break;
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		put_array(f, p, in, style, out);
		break;
	case RSD_T_STATUS:
		put_statuses(f, in, -1, style, out);
		break;
	case RSD_T_STATUSES:
		n = take(in);
		if (rsd_is_const(n))
			rsd_format_value(f, RSD_R_INT, n, style, out);
		else
			put_statuses(f, in, n < 0 ? 0 : n, style, out);
		break;
	case RSD_NR_TYPES:
		break;
	}
}

bool rsd_format_param(struct rsd_format *f, const struct rsd_event *e, int param, const int64_t *v,
	enum rsd_style style, struct rsd_buf *out)
{
	const struct rsd_param *p = &f->t->func[e->func].param[param];
	struct vector in = { v, e->nr_val - (size_t)(v - e->val) };
	size_t at = out->len;
	struct rsd_buf text = RSD_BUF_INIT;

	if (!is_present(p, in))
		return false;
	rsd_buf_reset(&f->matched);
	put_param(f, p, &in, style, out);
	if (!f->matched.len)
		return true;
	rsd_buf_put(&text, out->data + at, out->len - at);
	out->len = at;
	rsd_buf_printf(out, style == RSD_STYLE_JSON ? "[%.*s,%.*s]" : "%.*s matched %.*s",
		(int)text.len, (const char *)text.data, (int)f->matched.len,
		(const char *)f->matched.data);
	rsd_buf_release(&text);
	return true;
}

/* Parameters 'from' to 'end' of the event, where they stand goes to piece[i]. */
static void put_range(struct rsd_format *f, const struct rsd_event *e, int from, int end,
	struct vector *in, enum rsd_style style, struct rsd_piece *piece, struct rsd_buf *out)
{
	bool first = true;

	for (int i = from; i < end; i++) {
		const struct rsd_param *p = &f->t->func[e->func].param[i];

		piece[i].present = is_present(p, *in);
		piece[i].val = e->nr_val - in->left;
		if (!piece[i].present) {
			skip_param(p, in);
			piece[i].nr_val = e->nr_val - in->left - piece[i].val;
			continue;
		}
		if (!first)
			put(out, style == RSD_STYLE_JSON ? "," : ", ");
		first = false;
		if (style == RSD_STYLE_JSON)
			rsd_text_put(f, f->func[e->func].param[i], out);
		else {
			put(out, p->name);
			rsd_buf_put_byte(out, '=');
		}
		piece[i].at = out->len;
		put_param(f, p, in, style, out);
		piece[i].end = out->len;
		piece[i].nr_val = e->nr_val - in->left - piece[i].val;
	}
}

/* In JSON, what arguments were before the call stands apart: 'args' has the standard's only. */
static void put_params(struct rsd_format *f, const struct rsd_event *e, struct vector *in,
	enum rsd_style style, struct rsd_piece *piece, struct rsd_buf *out)
{
	int from = style == RSD_STYLE_JSON ? f->func[e->func].nr_old : 0;

	rsd_buf_reset(&f->matched);
	rsd_buf_reset(&f->before);
	put_range(f, e, 0, from, in, style, piece, &f->before);
	put_range(f, e, from, f->t->func[e->func].nr_params, in, style, piece, out);
}

/* An event's JSON up to its time. */
static void put_json_event(struct rsd_format *f, const struct rsd_event *e, bool stack,
	struct rsd_piece *piece, struct rsd_buf *out)
{
	struct vector in = { e->val, e->nr_val };
	int64_t error;

	put(out, "{\"rank\":");
	rsd_buf_put_decimal(out, e->rank);
	put(out, ",\"thread\":");
	rsd_buf_put_decimal(out, rsd_thread_number(e->thread));
	rsd_buf_put_byte(out, ',');
	rsd_text_put(f, f->func[e->func].call, out);
	put_params(f, e, &in, RSD_STYLE_JSON, piece, out);
	rsd_buf_put_byte(out, '}');
	if (e->sig >= 0 && (size_t)e->sig < f->t->sigs.nr_sigs)
		rsd_text_put(f, f->site[e->sig], out);
	if (stack && e->sig >= 0 && f->site[e->sig].len) {
		put(out, ",\"stack\":");
		rsd_format_stack(f, e->sig, RSD_STYLE_JSON, out);
	}
	error = take(&in);
	if (error != 0 && error != RSD_ABSENT) {
		put(out, ",\"error\":");
		rsd_format_value(f, RSD_R_ERROR, error, RSD_STYLE_JSON, out);
	}
	if (e->nested)
		rsd_buf_printf(out, ",\"nested\":%d", e->nested);
	if (f->before.len) {
		put(out, ",\"before\":{");
		rsd_buf_put(out, f->before.data, f->before.len);
		rsd_buf_put_byte(out, '}');
	}
	if (f->matched.len) {
		put(out, ",\"matched\":");
		rsd_buf_put(out, f->matched.data, f->matched.len);
	}
}

/* An event's text up to its time. */
static void put_text_event(struct rsd_format *f, const struct rsd_event *e, struct rsd_piece *piece,
	struct rsd_buf *out)
{
	struct vector in = { e->val, e->nr_val };
	int64_t error;

	rsd_buf_put_decimal(out, e->rank);
	if (rsd_thread_number(e->thread))
		rsd_buf_printf(out, ".%d", rsd_thread_number(e->thread));
	rsd_buf_put_byte(out, ' ');
	put(out, f->t->func[e->func].name);
	rsd_buf_put_byte(out, '(');
	put_params(f, e, &in, RSD_STYLE_TEXT, piece, out);
	rsd_buf_put_byte(out, ')');
	error = take(&in);
	if (error != 0 && error != RSD_ABSENT) {
		put(out, " = ");
		rsd_format_value(f, RSD_R_ERROR, error, RSD_STYLE_TEXT, out);
	}
	if (f->matched.len) {
		put(out, " matched ");
		rsd_buf_put(out, f->matched.data, f->matched.len);
	}
	if (e->nested)
		rsd_buf_printf(out, " nested %d", e->nested);
}

/* In text the call site comes after the time. */
static void put_text_site(
	const struct rsd_format *f, const struct rsd_event *e, bool stack, struct rsd_buf *out)
{
	if (e->sig < 0 || (size_t)e->sig >= f->t->sigs.nr_sigs || !f->site[e->sig].len)
		return;
	put(out, "  ");
	if (stack)
		rsd_format_stack(f, e->sig, RSD_STYLE_TEXT, out);
	else
		rsd_format_site(f, e->sig, RSD_STYLE_TEXT, out);
}

static void put_time(const struct rsd_event *e, enum rsd_style style, struct rsd_buf *out)
{
	put(out, style == RSD_STYLE_JSON ? ",\"t\":" : " at ");
	rsd_buf_put_seconds(out, (uint64_t)e->begin_ns);
	put(out, style == RSD_STYLE_JSON ? ",\"dur\":" : " for ");
	rsd_buf_put_seconds(out, (uint64_t)e->dur_ns);
}

/* ---- what was said before ----------------------------------------------------------------- */

static struct rsd_said *said_of(struct rsd_format *f, const struct rsd_event *e)
{
	uint64_t key = (uint64_t)(unsigned)e->func << 32 | (unsigned)e->sig;

	return &f->said[rsd_hash_index(key, RSD_SAID_BITS)];
}

/* Was the last event that was said there alike in all that is no value? */
static bool is_alike(
	const struct rsd_said *s, const struct rsd_event *e, enum rsd_style style, bool stack)
{
	return s->func == e->func && s->sig == e->sig && s->nested == e->nested &&
	       s->rank == e->rank && s->thread == e->thread && s->style == style &&
	       s->stack == stack;
}

/* Room for what parameters there are; what is known to vary stays known while it is the same function. */
static int prepare_pieces(struct rsd_format *f, struct rsd_said *s, const struct rsd_event *e)
{
	const struct rsd_func *fn = &f->t->func[e->func];

	if (s->func == e->func)
		return 0;
	s->func = -1;
	s->nr_vary = 0;
	if (RSD_GROW(s->piece, (size_t)fn->nr_params + 1, s->alloc_pieces))
		return RSD_ERR_NOMEM;
	for (int i = 0; i < fn->nr_params; i++) {
		int role = fn->param[i].role;

		s->piece[i] = (struct rsd_piece){ .plain = fn->param[i].type == RSD_T_INT &&
							   role != RSD_R_STRING &&
							   !rsd_format_is_handle(f, role) };
	}
	return 0;
}

/* In full. */
static int say(struct rsd_format *f, struct rsd_said *s, const struct rsd_event *e,
	enum rsd_style style, bool stack)
{
	rsd_buf_reset(&s->text);
	if (prepare_pieces(f, s, e) || RSD_GROW(s->val, e->nr_val + 1, s->alloc_val))
		return RSD_ERR_NOMEM;
	if (style == RSD_STYLE_JSON)
		put_json_event(f, e, stack, s->piece, &s->text);
	else
		put_text_event(f, e, s->piece, &s->text);
	s->before_time = s->text.len;
	if (style == RSD_STYLE_JSON)
		rsd_buf_put_byte(&s->text, '}');
	else
		put_text_site(f, e, stack, &s->text);
	s->whole = f->matched.len || f->before.len;
	memcpy(s->val, e->val, e->nr_val * sizeof(*e->val));
	s->nr_val = e->nr_val;
	s->func = e->func;
	s->sig = e->sig;
	s->nested = e->nested;
	s->rank = e->rank;
	s->thread = e->thread;
	s->style = style;
	s->stack = stack;
	return s->text.err;
}

/* Does the parameter of 'piece' begin with the values that it had? Takes them then. */
static bool take_same(const struct rsd_said *s, const struct rsd_piece *piece, struct vector *in)
{
	const int64_t *was = s->val + piece->val;

	if (piece->varies || in->left < piece->nr_val || *in->v != *was ||
		(piece->nr_val > 1 && memcmp(in->v, was, piece->nr_val * sizeof(*was)) != 0))
		return false;
	in->v += piece->nr_val;
	in->left -= piece->nr_val;
	return true;
}

/*
 * What was said, with the values that are others now; up to the time. False where that takes more than these values' own
 * texts; 'out' is then as it was.
 */
static bool say_again(
	struct rsd_format *f, struct rsd_said *s, const struct rsd_event *e, struct rsd_buf *out)
{
	const struct rsd_func *fn = &f->t->func[e->func];
	struct vector in = { e->val, e->nr_val };
	size_t from = 0, len = out->len;

	if (s->whole)
		return false;
	rsd_buf_reset(&f->matched);
	for (int i = 0; i < fn->nr_params; i++) {
		struct rsd_piece *piece = &s->piece[i];

		if (take_same(s, piece, &in))
			continue;
		s->nr_vary += !piece->varies;
		piece->varies = true;
		if (is_present(&fn->param[i], in) != piece->present)
			goto other;
		if (!piece->present) {
			skip_param(&fn->param[i], &in);
			continue;
		}
		rsd_buf_put(out, s->text.data + from, piece->at - from);
		from = piece->end;
		if (piece->plain && !rsd_is_const(*in.v))
			rsd_buf_put_decimal(out, take(&in));
		else
			put_param(f, &fn->param[i], &in, s->style, out);
	}
	if (f->matched.len || in.left != 1 || *in.v != s->val[s->nr_val - 1])
		goto other;
	rsd_buf_put(out, s->text.data + from, s->before_time - from);
	return true;
other:
	out->len = len;
	return false;
}

void rsd_format_event(struct rsd_format *f, const struct rsd_event *e, enum rsd_style style,
	bool stack, struct rsd_buf *out)
{
	struct rsd_said *s = said_of(f, e);
	bool alike = is_alike(s, e, style, stack), same = false;

	if (alike && !s->nr_vary)
		same = s->nr_val == e->nr_val &&
		       !memcmp(s->val, e->val, e->nr_val * sizeof(*e->val));
	if (!alike || (!same && !say_again(f, s, e, out))) {
		int err = say(f, s, e, style, stack);

		if (err) {
			out->err = err;
			s->func = -1;
			return;
		}
		same = true;
	}
	if (same)
		rsd_buf_put(out, s->text.data, s->before_time);
	if (e->has_time)
		put_time(e, style, out);
	rsd_buf_put(out, s->text.data + s->before_time, s->text.len - s->before_time);
}
