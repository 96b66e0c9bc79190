#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "flat.h"
#include "text_parse.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

struct reader {
	struct rsd_parser p;
	struct rsd_ascii_names names;
	struct rsd_map end_by_thread; /* rank << 32 | thread to when its last call ended, ns */
	struct rsd_map timed;	      /* rank << 32 | thread: its last call had times */
	struct rsd_frame *frame;
	size_t alloc_frames;
	size_t nr_val; /* in p.val */
};

/* ---- characters of the line ---------------------------------------------------- */

static void push(struct reader *r, int64_t v)
{
	if (!rsd_scan_error(&r->p.s, RSD_GROW(r->p.val, r->nr_val + 1, r->p.alloc_val)))
		r->p.val[r->nr_val++] = v;
}

static bool accept(struct reader *r, char c)
{
	struct rsd_scan *s = &r->p.s;

	if (s->err || s->pos >= s->end || s->text[s->pos] != c)
		return false;
	s->pos++;
	return true;
}

static void expect(struct reader *r, char c)
{
	if (!accept(r, c))
		rsd_scan_fail(&r->p.s, "'%c' expected", c);
}

/* Reads 'word' if the line goes on with it. */
static bool accept_text(struct reader *r, const char *word)
{
	struct rsd_scan *s = &r->p.s;
	size_t len = strlen(word);

	if (s->err || s->end - s->pos < len || memcmp(s->text + s->pos, word, len) != 0)
		return false;
	s->pos += len;
	return true;
}

/* Up to a space or a character that has a meaning of its own. */
static const char *token(struct reader *r, size_t *len)
{
	struct rsd_scan *s = &r->p.s;
	size_t start = s->pos;

	while (!s->err && s->pos < s->end && !strchr(" ,=()[]{}\"", s->text[s->pos]))
		s->pos++;
	*len = s->pos - start;
	if (!*len)
		rsd_scan_fail(s, "a value or name expected");
	return s->text + start;
}

/* PREFIX and digits. */
static bool numbered(const char *w, size_t len, const char *prefix, int64_t *v)
{
	size_t n = strlen(prefix);

	return len > n && !memcmp(w, prefix, n) && w[n] != '-' &&
	       rsd_scan_parse_int(w + n, len - n, v);
}

/* PREFIX and a slot's number, of thread 0 or "THREAD.N"; a number alone that is a slot of another thread is none. */
static bool in_slot(const char *w, size_t len, const char *prefix, int64_t *v)
{
	size_t n = strlen(prefix);
	const char *dot = len > n ? memchr(w + n, '.', len - n) : NULL;
	uint64_t owner, number;

	if (!dot)
		return numbered(w, len, prefix, v) && *v <= UINT32_MAX;
	if (memcmp(w, prefix, n) ||
		!rsd_scan_parse_uint(w + n, (size_t)(dot - w) - n, 10, &owner) ||
		!rsd_scan_parse_uint(dot + 1, (size_t)(w + len - dot) - 1, 10, &number) ||
		owner > INT32_MAX || number > UINT32_MAX)
		return false;
	*v = rsd_slot((int)owner, (uint32_t)number);
	return true;
}

/* A request by its distance. */
static bool distant(const char *w, size_t len, const char *prefix, int64_t *v)
{
	return numbered(w, len, prefix, v) && !rsd_is_foreign(*v);
}

/* A persistent one, by its slot. */
static bool persistent(const char *w, size_t len, int64_t *v)
{
	if (!in_slot(w, len, "persistent", v))
		return false;
	*v = -1 - *v;
	return !rsd_is_const(*v);
}

/* A request of another thread's: PREFIX, without its sign, and "THREAD.N". */
static bool foreign(const char *w, size_t len, const char *prefix, int64_t *v)
{
	size_t n = strlen(prefix) - 1;
	const char *dot = len > n ? memchr(w + n, '.', len - n) : NULL;
	uint64_t owner, number;

	if (!dot || memcmp(w, prefix, n) ||
		!rsd_scan_parse_uint(w + n, (size_t)(dot - w) - n, 10, &owner) ||
		!rsd_scan_parse_uint(dot + 1, (size_t)(w + len - dot) - 1, 10, &number) ||
		owner >= RSD_FOREIGN_OWNERS || number >> RSD_FOREIGN_BITS)
		return false;
	*v = rsd_foreign((int)owner, number);
	return true;
}

static int64_t value(struct reader *r, enum rsd_role role)
{
	const char *handle = rsd_ascii_handle(role);
	size_t len;
	const char *w = token(r, &len);
	uint64_t index;
	int64_t v = 0;
	int known;

	if (r->p.s.err)
		return 0;
	if (rsd_scan_parse_int(w, len, &v))
		return v;
	if (role == RSD_R_REQUEST && persistent(w, len, &v))
		return v;
	if (role == RSD_R_REQUEST ? distant(w, len, handle, &v) || foreign(w, len, handle, &v)
				  : handle && in_slot(w, len, handle, &v))
		return v;
	if (role == RSD_R_FUNCTION && in_slot(w, len, "", &v))
		return v;
	if (w[0] == '$' && rsd_scan_parse_uint(w + 1, len - 1, 10, &index) && index < RSD_CONST_MAX)
		return RSD_CONST(index);
	known = rsd_parse_find_constant(&r->p, w, len);
	if (known < 0)
		rsd_scan_fail(&r->p.s, "not a value");
	return known < 0 ? 0 : RSD_CONST(known);
}

/* ---- arguments -------------------------------------------------------------------- */

static void parse_one(struct reader *r, const struct rsd_param *param)
{
	bool string = param->type == RSD_T_STRING || param->type == RSD_T_STRINGS;
	struct rsd_scan *s = &r->p.s;
	struct rsd_buf *b = &r->p.tmp;
	int id;

	if (!string || s->pos >= s->end || s->text[s->pos] != '"') {
		push(r, value(r, (enum rsd_role)param->role));
		return;
	}
	rsd_scan_string(s, b);
	if (s->err)
		return;
	id = rsd_strings_intern(&r->p.t->strings, b->len ? (char *)b->data : "", b->len);
	if (id < 0)
		rsd_scan_error(s, id);
	else
		push(r, id);
}

static void parse_fields(struct reader *r)
{
	push(r, value(r, RSD_R_PEER));
	if (!accept_text(r, ", tag="))
		rsd_scan_fail(&r->p.s, "the status's tag expected");
	push(r, value(r, RSD_R_TAG));
	if (!accept_text(r, ", error="))
		rsd_scan_fail(&r->p.s, "the status's error expected");
	push(r, value(r, RSD_R_ERROR));
	expect(r, '}');
}

/* So many ignored statuses; not more than values before them, so that a few bytes don't ask for any amount of memory. */
static void parse_nr_ignored(struct reader *r)
{
	size_t before = r->nr_val, len;
	const char *w = token(r, &len);
	uint64_t n;

	if (r->p.s.err)
		return;
	if (!rsd_scan_parse_uint(w, len, 10, &n) || !n || n > before) {
		rsd_scan_fail(&r->p.s, "a number of statuses expected");
		return;
	}
	push(r, (int64_t)n);
	while (n-- && !r->p.s.err)
		push(r, RSD_STATUS_IGNORED);
}

/* Behind MPI_STATUSES_IGNORE and its bracket: how many, or which ones matched a wildcard. */
static void parse_ignored(struct reader *r)
{
	struct rsd_scan *s = &r->p.s;
	size_t at = r->nr_val;
	int64_t n = 0;

	if (s->pos < s->end && s->text[s->pos] >= '0' && s->text[s->pos] <= '9') {
		parse_nr_ignored(r);
		expect(r, ']');
		return;
	}
	push(r, 0);
	do {
		if (accept_text(r, "{source=")) {
			push(r, RSD_STATUS_MATCHED);
			parse_fields(r);
		} else {
			expect(r, '-');
			push(r, RSD_STATUS_IGNORED);
		}
		n++;
	} while (accept_text(r, ", "));
	expect(r, ']');
	if (!s->err)
		r->p.val[at] = n;
}

static void parse_status(struct reader *r)
{
	bool ignored = accept_text(r, "MPI_STATUS_IGNORE");

	if (!ignored && accept_text(r, "absent")) {
		push(r, RSD_STATUS_ABSENT);
		return;
	}
	if (!accept_text(r, "{source=")) {
		if (!ignored)
			rsd_scan_fail(&r->p.s, "a status expected");
		push(r, RSD_STATUS_IGNORED);
		return;
	}
	push(r, ignored ? RSD_STATUS_MATCHED : RSD_STATUS_KEPT);
	parse_fields(r);
}

static void parse_array(struct reader *r, const struct rsd_param *param)
{
	size_t at = r->nr_val;
	int64_t n = 0;

	if (param->type == RSD_T_STATUSES && accept_text(r, "MPI_STATUSES_IGNORE[")) {
		parse_ignored(r);
		return;
	}
	if (!accept(r, '[')) {
		push(r, value(r, RSD_R_INT));
		return;
	}
	push(r, 0);
	if (!accept(r, ']')) {
		do {
			if (param->type == RSD_T_STATUSES)
				parse_status(r);
			else
				parse_one(r, param);
			n++;
		} while (accept_text(r, ", "));
		expect(r, ']');
	}
	if (!r->p.s.err)
		r->p.val[at] = n;
}

static void parse_argument(struct reader *r, const struct rsd_param *param)
{
	switch ((enum rsd_type)param->type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		parse_one(r, param);
		break;
	case RSD_T_STATUS:
		parse_status(r);
		break;
	default:
		parse_array(r, param);
	}
}

/* Does the line go on with this parameter's name? Reads "NAME=". */
static bool accept_param(struct reader *r, const char *name)
{
	size_t pos = r->p.s.pos;

	if (accept_text(r, name) && accept(r, '='))
		return true;
	if (!r->p.s.err)
		r->p.s.pos = pos;
	return false;
}

static void parse_arguments(struct reader *r, const struct rsd_func *f)
{
	bool more = true;

	r->nr_val = 0;
	for (int i = 0; !r->p.s.err && i < f->nr_params; i++) {
		const struct rsd_param *param = &f->param[i];

		if (more && accept_param(r, param->name)) {
			parse_argument(r, param);
			more = accept_text(r, ", ");
		} else {
			push(r, param->type == RSD_T_STATUS ? RSD_STATUS_ABSENT : RSD_ABSENT);
		}
	}
	expect(r, ')');
	push(r, accept_text(r, " = ") ? value(r, RSD_R_ERROR) : 0);
}

/* ---- what stands behind the call --------------------------------------------------- */

/* Frames "NAME+HEX", joined by '_'; names may have '_' in them. */
static int parse_site(struct reader *r)
{
	struct rsd_scan *s = &r->p.s;
	size_t nr = 0;
	int id;

	while (!s->err && s->pos < s->end) {
		const char *name = s->text + s->pos, *plus = memchr(name, '+', s->end - s->pos);
		size_t len = plus ? (size_t)(plus - name) : 0, start = s->pos + len + 1,
		       end = start;
		struct rsd_frame f = { -1, 0 };

		while (plus && end < s->end && s->text[end] != '_')
			end++;
		if (plus && !(len == 1 && name[0] == '-')) {
			f.module = rsd_ascii_names_find(&r->names, name, len);
			if (f.module < 0)
				plus = NULL;
		}
		if (!plus || !rsd_scan_parse_uint(s->text + start, end - start, 16, &f.offset)) {
			rsd_scan_fail(s, "not a frame of a known module");
			return -1;
		}
		if (rsd_scan_error(s, RSD_GROW(r->frame, nr + 1, r->alloc_frames)))
			return -1;
		r->frame[nr++] = f;
		s->pos = end < s->end ? end + 1 : end;
	}
	id = s->err ? -1 : rsd_sigs_intern(&r->p.t->sigs, r->frame, nr);
	if (!s->err && id < 0)
		rsd_scan_error(s, id);
	return id;
}

/* "SECONDS.NANOSECONDS" */
static uint64_t parse_seconds(struct reader *r)
{
	size_t len;
	const char *w = token(r, &len);
	uint64_t sec, ns;

	if (r->p.s.err)
		return 0;
	if (len < 11 || w[len - 10] != '.' || !rsd_scan_parse_uint(w, len - 10, 10, &sec) ||
		!rsd_scan_parse_uint(w + len - 9, 9, 10, &ns) ||
		sec > UINT64_MAX / 1000000000 - 1) {
		rsd_scan_fail(&r->p.s, "not a time in seconds");
		return 0;
	}
	return sec * 1000000000 + ns;
}

static void parse_times(struct reader *r, int rank, int thread, uint64_t *before, uint64_t *dur)
{
	uint64_t key = (uint64_t)rank << 32 | (uint64_t)thread, t = parse_seconds(r);
	const uint64_t *known = rsd_map_find(&r->end_by_thread, key);

	*before = known && *known > t ? 0 : t - (known ? *known : 0);
	if (!accept_text(r, " dur="))
		rsd_scan_fail(&r->p.s, "the call's duration expected");
	*dur = parse_seconds(r);
	rsd_scan_error(&r->p.s, rsd_map_set(&r->end_by_thread, key, t + *dur));
}

static int find_func(struct reader *r)
{
	const struct rsd_trace *t = r->p.t;
	size_t len;
	const char *w = token(r, &len);
	uint64_t key = rsd_hash_bytes(w, len, 0);
	const uint64_t *id;

	for (; !r->p.s.err && (id = rsd_map_find(&t->func_by_hash, key)); key++)
		if (strlen(t->func[*id].name) == len && !memcmp(t->func[*id].name, w, len))
			return (int)*id;
	rsd_scan_fail(&r->p.s, "a function that is not in the table");
	return -1;
}

/*
 * A log whose events have times goes on with such: what has none, the calls after MPI_Finalize, say, begins
 * another log of the thread, or a walk would show times of 0.
 */
static struct rsd_log *find_log(struct reader *r, int rank, int thread, bool timed)
{
	uint64_t key = (uint64_t)rank << 32 | (uint64_t)thread;

	if (!timed && rsd_map_delete(&r->timed, key))
		return rsd_trace_add_log(r->p.t, rank, thread);
	if (timed && rsd_map_set(&r->timed, key, 1))
		return NULL;
	return rsd_trace_log(r->p.t, rank, thread);
}

/* RANK THREAD FUNCTION(ARGUMENTS)[ = ERROR][ nested=N][ t=SECONDS dur=SECONDS][ @SITE] */
static void parse_event(struct reader *r)
{
	struct rsd_scan *s = &r->p.s;
	int rank = (int)rsd_scan_int(s, 0, r->p.t->nprocs - 1),
	    thread = (int)rsd_scan_int(s, 0, INT32_MAX);
	int func, nested = 0, sig = -1, place;
	uint64_t before = 0, dur = 0;
	struct rsd_log *log;
	bool timed;

	expect(r, ' ');
	func = find_func(r);
	expect(r, '(');
	if (s->err)
		return;
	parse_arguments(r, &r->p.t->func[func]);
	if (accept_text(r, " nested="))
		nested = (int)rsd_scan_int(s, 1, RSD_TRACE_MAX_NESTED);
	timed = accept_text(r, " t=");
	if (timed)
		parse_times(r, rank, thread, &before, &dur);
	if (accept_text(r, " @"))
		sig = parse_site(r);
	rsd_scan_done(s);
	if (s->err)
		return;
	place = rsd_trace_place(r->p.t, thread, func, sig, nested);
	log = place < 0 ? NULL : find_log(r, rank, thread, timed);
	if (!log) {
		rsd_scan_error(s, place < 0 ? place : RSD_ERR_NOMEM);
		return;
	}
	rsd_flat_put(&log->bytes, place, r->p.val, r->nr_val, before, dur);
	rsd_scan_error(s, log->bytes.err);
}

/* ---- the whole ------------------------------------------------------------------------ */

static void parse_section(struct reader *r, size_t start)
{
	struct rsd_scan *s = &r->p.s;

	rsd_parse_start(&r->p, "ascii", RSD_ASCII_FOREIGN);
	while (rsd_scan_line(s)) {
		if (s->pos < s->end && s->text[s->pos] >= '0' && s->text[s->pos] <= '9') {
			parse_event(r);
		} else if (rsd_scan_take(s, "end")) {
			rsd_parse_end(&r->p, start);
			return;
		} else if (!rsd_parse_table_line(&r->p)) {
			rsd_scan_fail(s, "a line of unknown kind");
		} else {
			rsd_scan_error(s, rsd_ascii_names_update(&r->names, &r->p.t->sigs));
		}
	}
	rsd_scan_fail(s, "the trace is cut off: it has no end line");
}

int rsd_ascii_parse(
	struct rsd_trace **out, const char *text, size_t len, size_t *pos, struct rsd_buf *why)
{
	struct reader r = { .names = RSD_ASCII_NAMES_INIT };
	int err;

	*out = NULL;
	rsd_parser_init(&r.p, text, len, *pos, why);
	parse_section(&r, *pos);
	err = r.p.s.err;
	if (!err)
		err = rsd_trace_verify(r.p.t, why);
	*pos = r.p.s.next;
	rsd_ascii_names_release(&r.names);
	rsd_map_release(&r.end_by_thread);
	rsd_map_release(&r.timed);
	free(r.frame);
	rsd_parser_release(&r.p);
	if (err) {
		rsd_trace_free(r.p.t);
		return err;
	}
	*out = r.p.t;
	return 0;
}
