#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "scan.h"
#include "trace_text.h"
#include "util.h"
#include "walk.h"

/* What is collected before flush is called. */
#define FLUSH_LEN ((size_t)1 << 18)

/* ---- values ---------------------------------------------------------------- */

const char *rsd_ascii_handle(enum rsd_role role)
{
	static const char *const word[RSD_NR_ROLES] = {
		[RSD_R_COMM] = "comm",
		[RSD_R_DATATYPE] = "type",
		[RSD_R_REQUEST] = "request-",
		[RSD_R_OP] = "op",
		[RSD_R_GROUP] = "group",
		[RSD_R_WIN] = "win",
		[RSD_R_FILE] = "file",
		[RSD_R_INFO] = "info",
		[RSD_R_ERRHANDLER] = "errhandler",
		[RSD_R_MESSAGE] = "message",
		[RSD_R_SESSION] = "session",
		[RSD_R_KEYVAL] = "keyval",
	};

	return word[role];
}

void rsd_ascii_slot(int64_t slot, struct rsd_buf *out)
{
	if (rsd_slot_owner(slot)) {
		rsd_buf_put_decimal(out, rsd_slot_owner(slot));
		rsd_buf_put_byte(out, '.');
	}
	rsd_buf_put_decimal(out, rsd_slot_number(slot));
}

void rsd_ascii_foreign(int64_t request, struct rsd_buf *out)
{
	rsd_buf_put_decimal(out, rsd_foreign_owner(request));
	rsd_buf_put_byte(out, '.');
	rsd_buf_put_decimal(out, (int64_t)rsd_foreign_number(request));
}

void rsd_ascii_value(const struct rsd_trace *t, enum rsd_role role, int64_t v, struct rsd_buf *out)
{
	const char *handle = rsd_ascii_handle(role), *name = NULL;
	bool slot = (handle && role != RSD_R_REQUEST) || role == RSD_R_FUNCTION;

	if (rsd_is_const(v)) {
		int index = rsd_const_index(v);

		if ((size_t)index < t->nr_constants)
			name = t->constant[index];
		if (name) {
			rsd_buf_put(out, name, strlen(name));
			return;
		}
		name = "$";
		v = index;
		slot = false;
	} else if (role == RSD_R_REQUEST && rsd_is_foreign(v)) {
		rsd_buf_put(out, handle, strlen(handle) - 1); /* without the sign */
		rsd_ascii_foreign(v, out);
		return;
	} else if (handle && v >= 0) {
		name = handle;
	} else if (role == RSD_R_REQUEST && v < 0) {
		name = "persistent";
		v = -1 - v;
		slot = true;
	}
	if (name)
		rsd_buf_put(out, name, strlen(name));
	if (slot && v >= 0)
		rsd_ascii_slot(v, out);
	else
		rsd_buf_put_decimal(out, v);
}

/* Goes through the values of one call. */
struct vector {
	const struct rsd_trace *t;
	const int64_t *val;
	size_t nr, pos;
	struct rsd_buf *out;
};

/* The next value; absent where there is none, which only a vector that was never checked can do. */
static int64_t next(struct vector *v)
{
	return v->pos < v->nr ? v->val[v->pos++] : RSD_ABSENT;
}

static void put_one(struct vector *v, const struct rsd_param *p, int64_t x)
{
	bool string = p->type == RSD_T_STRING || p->type == RSD_T_STRINGS;
	const struct rsd_string *s;

	if (string && x >= 0 && (uint64_t)x < v->t->strings.nr) {
		s = &v->t->strings.str[x];
		rsd_scan_put_string(v->out, s->s, s->len);
	} else {
		rsd_ascii_value(v->t, (enum rsd_role)p->role, x, v->out);
	}
}

static void put_fields(struct vector *v)
{
	rsd_buf_printf(v->out, "{source=");
	rsd_ascii_value(v->t, RSD_R_PEER, next(v), v->out);
	rsd_buf_printf(v->out, ", tag=");
	rsd_ascii_value(v->t, RSD_R_TAG, next(v), v->out);
	rsd_buf_printf(v->out, ", error=");
	rsd_ascii_value(v->t, RSD_R_ERROR, next(v), v->out);
	rsd_buf_put_byte(v->out, '}');
}

static void put_status(struct vector *v, int64_t kind)
{
	if (kind == RSD_STATUS_IGNORED || kind == RSD_STATUS_MATCHED)
		rsd_buf_printf(v->out, "MPI_STATUS_IGNORE");
	else if (kind != RSD_STATUS_KEPT)
		rsd_buf_printf(v->out, "absent");
	if (kind == RSD_STATUS_KEPT || kind == RSD_STATUS_MATCHED)
		put_fields(v);
}

/* Did the program pass MPI_STATUSES_IGNORE for the 'n' statuses that follow? *matched: did one match a wildcard? */
static bool are_ignored(struct vector v, int64_t n, bool *matched)
{
	*matched = false;
	for (int64_t i = 0; i < n; i++) {
		int64_t kind = next(&v);

		if (kind != RSD_STATUS_IGNORED && kind != RSD_STATUS_MATCHED)
			return false;
		if (kind == RSD_STATUS_MATCHED) {
			*matched = true;
			v.pos = v.nr - v.pos < 3 ? v.nr : v.pos + 3;
		}
	}
	/* Readers take no number that is larger than that of the values before it. */
	return n > 0 && (*matched || (uint64_t)n < v.pos - (size_t)n);
}

/* How many, or what they are where there is more to say. */
static void put_ignored(struct vector *v, int64_t n, bool matched)
{
	rsd_buf_printf(v->out, "MPI_STATUSES_IGNORE[");
	if (!matched) {
		rsd_buf_put_decimal(v->out, n);
		v->pos += (size_t)n;
	}
	for (int64_t i = 0; matched && i < n; i++) {
		if (i)
			rsd_buf_printf(v->out, ", ");
		if (next(v) == RSD_STATUS_MATCHED)
			put_fields(v);
		else
			rsd_buf_put_byte(v->out, '-');
	}
	rsd_buf_put_byte(v->out, ']');
}

/* The value(s) of a parameter that is there, its first value being 'x'. */
static void put_param(struct vector *v, const struct rsd_param *p, int64_t x)
{
	bool statuses = p->type == RSD_T_STATUSES, matched;

	if (p->type == RSD_T_STATUS) {
		put_status(v, x);
	} else if (p->type == RSD_T_INT || p->type == RSD_T_STRING) {
		put_one(v, p, x);
	} else if (rsd_is_const(x)) {
		rsd_ascii_value(v->t, RSD_R_INT, x, v->out);
	} else if (statuses && are_ignored(*v, x, &matched)) {
		put_ignored(v, x, matched);
	} else {
		rsd_buf_put_byte(v->out, '[');
		for (int64_t i = 0; i < x && v->pos < v->nr; i++) {
			if (i)
				rsd_buf_printf(v->out, ", ");
			if (statuses)
				put_status(v, next(v));
			else
				put_one(v, p, next(v));
		}
		rsd_buf_put_byte(v->out, ']');
	}
}

void rsd_ascii_call(const struct rsd_trace *t, const struct rsd_func *f, const int64_t *val,
	size_t nr_val, struct rsd_buf *out)
{
	struct vector v = { t, val, nr_val, 0, out };
	const char *before = "";
	int64_t error;

	rsd_buf_printf(out, "%s(", f->name);
	for (int i = 0; i < f->nr_params; i++) {
		const struct rsd_param *p = &f->param[i];
		int64_t x = next(&v);

		if (x == (p->type == RSD_T_STATUS ? RSD_STATUS_ABSENT : RSD_ABSENT))
			continue;
		rsd_buf_printf(out, "%s%s=", before, p->name);
		put_param(&v, p, x);
		before = ", ";
	}
	rsd_buf_put_byte(out, ')');
	error = next(&v);
	if (error) {
		rsd_buf_printf(out, " = ");
		rsd_ascii_value(t, RSD_R_ERROR, error, out);
	}
}

/* ---- modules ------------------------------------------------------------------ */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A word of the line it stands in: ASCII without space, quote, backslash and '+', and not "-",
 * which is no module. */
static void put_word(const char *s, struct rsd_buf *out)
{
	if (!*s || (s[0] == '-' && !s[1]))
		rsd_buf_put_byte(out, '_');
	for (; *s; s++)
		rsd_buf_put_byte(out,
			*s > ' ' && *s < 0x7f && !strchr("\"+\\", *s) ? (unsigned char)*s : '_');
}

int rsd_ascii_names_find(const struct rsd_ascii_names *n, const char *name, size_t len)
{
	uint64_t key = rsd_hash_bytes(name, len, 0);
	const uint64_t *id;

	for (; (id = rsd_map_find(&n->by_name, key)); key++)
		if (strlen(n->name[*id]) == len && !memcmp(n->name[*id], name, len))
			return (int)*id;
	return -1;
}

static int add_name(struct rsd_ascii_names *n, const char *path)
{
	struct rsd_buf b = RSD_BUF_INIT;
	uint64_t key;

	put_word(last_part(path), &b);
	if (!b.err &&
		(memchr(b.data, '~', b.len) || rsd_ascii_names_find(n, (char *)b.data, b.len) >= 0))
		rsd_buf_printf(&b, "~%zu", n->nr);
	rsd_buf_put_byte(&b, 0);
	if (b.err || RSD_GROW(n->name, n->nr + 1, n->alloc)) {
		rsd_buf_release(&b);
		return RSD_ERR_NOMEM;
	}
	n->name[n->nr++] = (char *)b.data;
	for (key = rsd_hash_bytes(b.data, b.len - 1, 0); rsd_map_find(&n->by_name, key); key++)
		;
	return rsd_map_set(&n->by_name, key, n->nr - 1);
}

int rsd_ascii_names_update(struct rsd_ascii_names *n, const struct rsd_sigs *sigs)
{
	int err = 0;

	while (!err && n->nr < sigs->nr_modules)
		err = add_name(n, sigs->module[n->nr].path);
	return err;
}

void rsd_ascii_names_release(struct rsd_ascii_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->name[i]);
	free(n->name);
	rsd_map_release(&n->by_name);
	*n = (struct rsd_ascii_names)RSD_ASCII_NAMES_INIT;
}

void rsd_ascii_site(
	const struct rsd_sigs *sigs, int sig, const struct rsd_ascii_names *n, struct rsd_buf *out)
{
	const struct rsd_sig *s = &sigs->sig[sig];

	for (size_t i = 0; i < s->nr; i++) {
		const struct rsd_frame *f = &sigs->frame[s->first + i];

		rsd_buf_printf(out, "%s%s+%" PRIx64, i ? "_" : "",
			f->module < 0 ? "-" : n->name[f->module], f->offset);
	}
}

/* ---- files ---------------------------------------------------------------------- */

void rsd_ascii_constant(struct rsd_ascii *a, int index)
{
	size_t i = (size_t)index;

	if (i >= a->nr_constants) {
		if (RSD_GROW(a->constant, i + 1, a->alloc_constants)) {
			a->out->err = RSD_ERR_NOMEM;
			return;
		}
		memset(a->constant + a->nr_constants, 0,
			(i + 1 - a->nr_constants) * sizeof(*a->constant));
		a->nr_constants = i + 1;
	}
	if (!a->constant[i])
		rsd_text_put_constant(index, a->t->constant[i], a->out);
	a->constant[i] = true;
}

static void put_constants(struct rsd_ascii *a)
{
	for (size_t i = 0; i < a->t->nr_constants; i++)
		if (a->t->constant[i])
			rsd_ascii_constant(a, (int)i);
}

void rsd_ascii_start(struct rsd_ascii *a, const struct rsd_trace *t, struct rsd_buf *out)
{
	*a = (struct rsd_ascii){ .t = t, .out = out };
	out->unfolded = RSD_BUF_PLAIN; /* no version has brackets with several runs */
	rsd_buf_printf(out, "%snprocs %d\nranks ",
		rsd_trace_has_foreign(t)	? RSD_ASCII_MAGIC_FOREIGN
		: rsd_trace_has_late_objects(t) ? RSD_ASCII_MAGIC_CLOCKS
		: t->sources.nr			? RSD_ASCII_MAGIC_SOURCES
						: RSD_ASCII_MAGIC,
		t->nprocs);
	rsd_ranks_print(&t->ranks, out);
	rsd_buf_put_byte(out, '\n');
	put_constants(a);
}

void rsd_ascii_release(struct rsd_ascii *a)
{
	rsd_ascii_names_release(&a->names);
	free(a->constant);
	a->constant = NULL;
	a->nr_constants = a->alloc_constants = 0;
}

/* Lines of the tables that the trace has got since the last event. */
static void put_news(struct rsd_ascii *a)
{
	for (; a->nr_funcs < a->t->nr_funcs; a->nr_funcs++)
		rsd_text_put_function(a->nr_funcs, &a->t->func[a->nr_funcs], a->out);
	for (; a->nr_modules < a->t->sigs.nr_modules; a->nr_modules++)
		rsd_text_put_module(a->nr_modules, &a->t->sigs.module[a->nr_modules], a->out);
	if (rsd_ascii_names_update(&a->names, &a->t->sigs))
		a->out->err = RSD_ERR_NOMEM;
}

void rsd_ascii_event(struct rsd_ascii *a, const struct rsd_event *e)
{
	put_news(a);
	if (a->out->err)
		return;
	rsd_buf_printf(a->out, "%d %d ", e->rank, e->thread);
	rsd_ascii_call(a->t, &a->t->func[e->func], e->val, e->nr_val, a->out);
	if (e->nested)
		rsd_buf_printf(a->out, " nested=%d", e->nested);
	if (e->has_time) {
		rsd_buf_printf(a->out, " t=");
		rsd_buf_put_seconds(a->out, (uint64_t)e->begin_ns);
		rsd_buf_printf(a->out, " dur=");
		rsd_buf_put_seconds(a->out, (uint64_t)e->dur_ns);
	}
	if (e->sig >= 0) {
		rsd_buf_printf(a->out, " @"); /* alone, it is a signature of no frames */
		rsd_ascii_site(&a->t->sigs, e->sig, &a->names, a->out);
	}
	rsd_buf_put_byte(a->out, '\n');
}

void rsd_ascii_news(struct rsd_ascii *a)
{
	put_news(a);
	put_constants(a);
}

void rsd_ascii_tables(const struct rsd_trace *t, struct rsd_buf *out)
{
	out->unfolded = RSD_BUF_PLAIN;
	rsd_text_put_sources(t, out);
	rsd_text_put_objects(t, out);
	rsd_text_put_state(t, out);
}

void rsd_ascii_finish(struct rsd_ascii *a)
{
	rsd_ascii_news(a);
	rsd_ascii_tables(a->t, a->out);
	rsd_ascii_release(a);
}

struct printer {
	struct rsd_ascii a;
	int (*flush)(void *arg);
	void *arg;
};

static int print_thread(struct printer *p, int rank, int thread, struct rsd_buf *why)
{
	struct rsd_walk *w;
	struct rsd_event e;
	int err = rsd_walk_new(&w, p->a.t, rank, thread);

	if (err)
		return err == RSD_ERR_END ? 0 : err;
	while (!(err = rsd_walk_next(w, &e))) {
		rsd_ascii_event(&p->a, &e);
		err = p->a.out->err;
		if (!err && p->flush && p->a.out->len >= FLUSH_LEN)
			err = p->flush(p->arg);
		if (err)
			break;
	}
	if (err == RSD_ERR_FORMAT && why && rsd_walk_error(w))
		rsd_buf_printf(why, "rank %d: %s", rank, rsd_walk_error(w));
	rsd_walk_free(w);
	return err == RSD_ERR_END ? 0 : err;
}

static int print_rank(struct printer *p, int rank, struct rsd_buf *why)
{
	size_t nr;
	int *thread, err = rsd_trace_threads(p->a.t, rank, &thread, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		err = print_thread(p, rank, thread[i], why);
	free(thread);
	return err;
}

int rsd_ascii_print(const struct rsd_trace *t, struct rsd_buf *out, int (*flush)(void *arg),
	void *arg, struct rsd_buf *why)
{
	struct printer p = { .flush = flush, .arg = arg };
	int err = 0;

	rsd_ascii_start(&p.a, t, out);
	for (int r = rsd_ranks_next(&t->ranks, -1); !err && r >= 0;
		r = rsd_ranks_next(&t->ranks, r))
		err = print_rank(&p, r, why);
	if (err)
		rsd_ascii_release(&p.a);
	else
		rsd_ascii_finish(&p.a);
	return err ? err : out->err;
}
