#include <stdlib.h>
#include <string.h>

#include "text_parse.h"
#include "trace_text.h"
#include "transfer.h"
#include "util.h"

/* It may not be below the one before. */
static void parse_version(struct rsd_parser *p)
{
	static const char *const version[] = { "1", "2", "3", "4", "5", "6", "7" };
	int first = p->version ? p->version : 1;

	rsd_assert(p->newest <= (int)RSD_ARRAY_SIZE(version));
	for (p->version = first; p->version <= p->newest; p->version++)
		if (p->s.err || rsd_scan_take(&p->s, version[p->version - 1]))
			return;
	rsd_scan_fail(&p->s, "not a version this program reads");
}

void rsd_parse_start(struct rsd_parser *p, const char *magic, int newest)
{
	struct rsd_scan *s = &p->s;
	int nprocs;

	rsd_scan_line(s);
	rsd_scan_expect(s, magic);
	p->newest = newest;
	parse_version(p);
	rsd_scan_done(s);
	rsd_scan_line(s);
	rsd_scan_expect(s, "nprocs");
	nprocs = (int)rsd_scan_int(s, 1, RSD_TRACE_MAX_RANKS);
	rsd_scan_done(s);
	if (s->err)
		return;
	p->t = rsd_trace_new(nprocs);
	if (!p->t) {
		rsd_scan_error(s, RSD_ERR_NOMEM);
		return;
	}
	rsd_scan_error(s, rsd_parse_add_constant(p, 0, "absent"));
	rsd_scan_line(s);
	rsd_scan_expect(s, "ranks");
	rsd_parse_ranks(p, &p->t->ranks);
	rsd_scan_done(s);
}

static void parse_complete(struct rsd_parser *p)
{
	if (p->has_state)
		rsd_scan_fail(&p->s, "complete or not? said twice");
	p->has_state = true;
	p->t->complete = true;
}

static void parse_incomplete(struct rsd_parser *p)
{
	parse_complete(p);
	p->t->complete = false;
	if (!rsd_scan_at_end(&p->s))
		p->t->incomplete_why = rsd_scan_cstr(&p->s);
}

static void parse_meta(struct rsd_parser *p)
{
	char *key = rsd_scan_cstr(&p->s), *value = rsd_scan_cstr(&p->s);

	if (key && rsd_trace_get_meta(p->t, key))
		rsd_scan_fail(&p->s, "meta key given twice");
	if (p->t->nr_meta >= RSD_TRACE_MAX_META)
		rsd_scan_fail(&p->s, "too many meta keys");
	if (!p->s.err)
		rsd_scan_error(&p->s, rsd_trace_set_meta(p->t, key, value));
	free(key);
	free(value);
}

static void parse_constant(struct rsd_parser *p)
{
	int index = (int)rsd_scan_int(&p->s, 0, RSD_CONST_MAX - 1);
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len);
	char *name;

	if (!w)
		return;
	if (!rsd_scan_is_name(w, len))
		rsd_scan_fail(&p->s, "not a name");
	if (index == 0 ? len != 6 || memcmp(w, "absent", 6) != 0
		       : (size_t)index < p->t->nr_constants && p->t->constant[index])
		rsd_scan_fail(&p->s, "constant given twice");
	name = rsd_strndup(w, len);
	if (!name)
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
	else if (!p->s.err && index)
		rsd_scan_error(&p->s, rsd_parse_add_constant(p, index, name));
	free(name);
}

void rsd_parse_expect_id(struct rsd_parser *p, size_t id)
{
	if (rsd_scan_uint(&p->s) != id)
		rsd_scan_fail(&p->s, "number %zu expected", id);
}

void rsd_parse_check_id(struct rsd_parser *p, int ret, size_t id)
{
	if (ret >= 0 && (size_t)ret != id)
		rsd_scan_fail(&p->s, "the same as entry %d", ret);
	rsd_scan_error(&p->s, ret < 0 ? ret : 0);
}

static void parse_string(struct rsd_parser *p)
{
	size_t id = p->t->strings.nr;

	rsd_parse_expect_id(p, id);
	rsd_scan_string(&p->s, &p->tmp);
	if (!p->s.err)
		rsd_parse_check_id(p,
			rsd_strings_intern(
				&p->t->strings, p->tmp.len ? (char *)p->tmp.data : "", p->tmp.len),
			id);
}

static int param_by_name(const struct rsd_param *param, int nr, const char *w, size_t len)
{
	for (int i = 0; i < nr; i++)
		if (strlen(param[i].name) == len && !memcmp(param[i].name, w, len))
			return i;
	return -1;
}

/* NAME:TYPE:ROLE[:COMMUNICATOR]; the last is looked up once all parameters are there. */
static void parse_param(
	struct rsd_parser *p, struct rsd_param *out, const char **of, size_t *of_len)
{
	const char *part[4] = { NULL }, *w;
	size_t part_len[4] = { 0 }, len, nr = 0;
	int type, role;

	w = rsd_scan_word(&p->s, &len);
	for (size_t i = 0, from = 0; w && i <= len && nr < 4; i++) {
		if (i < len && w[i] != ':')
			continue;
		part[nr] = w + from;
		part_len[nr++] = i - from;
		from = i + 1;
	}
	type = nr >= 3 ? rsd_text_word_index(part[1], part_len[1], rsd_text_type, RSD_NR_TYPES)
		       : -1;
	role = nr >= 3 ? rsd_text_word_index(part[2], part_len[2], rsd_text_role, RSD_NR_ROLES)
		       : -1;
	if (type < 0 || role < 0) {
		rsd_scan_fail(&p->s, "not a parameter");
		return;
	}
	*of = part[3];
	*of_len = part_len[3];
	out->type = (uint8_t)type;
	out->role = (uint8_t)role;
	out->of = -1;
	out->name = rsd_strndup(part[0], part_len[0]);
	if (!out->name)
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
}

static void parse_func_params(struct rsd_parser *p, struct rsd_func *f, struct rsd_param *param)
{
	const char *of[RSD_TRACE_MAX_PARAMS];
	size_t of_len[RSD_TRACE_MAX_PARAMS];

	while (!rsd_scan_at_end(&p->s)) {
		if (f->nr_params == RSD_TRACE_MAX_PARAMS) {
			rsd_scan_fail(&p->s, "too many parameters");
			return;
		}
		parse_param(p, &param[f->nr_params], &of[f->nr_params], &of_len[f->nr_params]);
		if (!p->s.err)
			f->nr_params++;
	}
	for (int i = 0; !p->s.err && i < f->nr_params; i++) {
		if (!of[i])
			continue;
		param[i].of = (int16_t)param_by_name(param, f->nr_params, of[i], of_len[i]);
		if (param[i].of < 0)
			rsd_scan_fail(&p->s, "a communicator that is no parameter");
	}
}

static char *scan_name(struct rsd_parser *p)
{
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len);
	char *name = w ? rsd_strndup(w, len) : NULL;

	if (w && !name)
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
	return name;
}

static void parse_function(struct rsd_parser *p)
{
	struct rsd_param param[RSD_TRACE_MAX_PARAMS] = { { 0 } };
	struct rsd_func f = { .param = param };
	size_t id = p->t->nr_funcs;
	char *name;

	rsd_parse_expect_id(p, id);
	f.name = name = scan_name(p);
	f.class =
		(uint8_t)rsd_parse_word_of(p, rsd_text_class, RSD_NR_CLASSES, "class of functions");
	f.sent_count = (int8_t)rsd_scan_int(&p->s, -1, INT8_MAX);
	f.sent_type = (int8_t)rsd_scan_int(&p->s, -1, INT8_MAX);
	f.recv_count = (int8_t)rsd_scan_int(&p->s, -1, INT8_MAX);
	f.recv_type = (int8_t)rsd_scan_int(&p->s, -1, INT8_MAX);
	parse_func_params(p, &f, param);
	if (!p->s.err && !rsd_func_is_valid(&f))
		rsd_scan_fail(&p->s, "function of an impossible shape");
	if (!p->s.err)
		rsd_parse_check_id(p, rsd_trace_func(p->t, &f), id);
	for (int i = 0; i < RSD_TRACE_MAX_PARAMS; i++)
		free((char *)(uintptr_t)param[i].name);
	free(name);
}

static void parse_module(struct rsd_parser *p)
{
	size_t id = p->t->sigs.nr_modules;
	char *path, *build_id;

	rsd_parse_expect_id(p, id);
	path = rsd_scan_cstr(&p->s);
	build_id = rsd_scan_cstr(&p->s);
	if (!p->s.err)
		rsd_parse_check_id(p, rsd_sigs_module(&p->t->sigs, path, build_id), id);
	free(path);
	free(build_id);
}

/* MODULE+OFFSET, the module "-" where there is none. */
static void scan_frame(struct rsd_parser *p, struct rsd_frame *f)
{
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len), *plus = w ? memchr(w, '+', len) : NULL;
	size_t before = plus ? (size_t)(plus - w) : 0;
	uint64_t module = 0;
	bool none = plus && before == 1 && w[0] == '-';

	if (!plus || !rsd_scan_parse_uint(plus + 1, len - before - 1, 16, &f->offset) ||
		(!none && (!rsd_scan_parse_uint(w, before, 10, &module) ||
				  module >= p->t->sigs.nr_modules)))
		rsd_scan_fail(&p->s, "not a frame");
	f->module = none ? -1 : (int)module;
}

static void parse_signature(struct rsd_parser *p)
{
	size_t id = p->t->sigs.nr_sigs, nr = 0, alloc = 0;
	struct rsd_frame *frame = NULL;

	rsd_parse_expect_id(p, id);
	while (!rsd_scan_at_end(&p->s)) {
		if (rsd_scan_error(&p->s, RSD_GROW(frame, nr + 1, alloc)))
			break;
		scan_frame(p, &frame[nr++]);
	}
	if (!p->s.err) {
		int ret = rsd_sigs_intern(&p->t->sigs, frame, nr);

		rsd_parse_check_id(p, ret, id);
		if (!p->s.err && p->t->sigs.sig[id].nr != nr)
			rsd_scan_fail(&p->s, "recursion that is not folded");
	}
	free(frame);
}

static uint32_t scan_uint32(struct rsd_parser *p)
{
	return (uint32_t)rsd_scan_int(&p->s, 0, UINT32_MAX);
}

/* The frames that stand on the line; *nr of them are owned by the caller, in error, too. */
static struct rsd_source_frame *scan_source(struct rsd_parser *p, size_t *nr)
{
	struct rsd_source_frame *frame = NULL;
	size_t alloc = 0;

	*nr = 0;
	while (!rsd_scan_at_end(&p->s)) {
		if (rsd_scan_error(&p->s, RSD_GROW(frame, *nr + 1, alloc)))
			break;
		frame[*nr].function = rsd_scan_cstr(&p->s);
		frame[*nr].file = rsd_scan_cstr(&p->s);
		frame[*nr].line = scan_uint32(p);
		frame[(*nr)++].column = scan_uint32(p);
	}
	return frame;
}

static void parse_source(struct rsd_parser *p)
{
	struct rsd_source_frame *frame;
	struct rsd_frame at = { -1, 0 };
	bool known = false;
	size_t nr;

	scan_frame(p, &at);
	if (!p->s.err && at.module < 0)
		rsd_scan_fail(&p->s, "a source line outside all modules");
	frame = scan_source(p, &nr);
	if (!p->s.err)
		rsd_scan_error(&p->s, rsd_source_table_add(&p->t->sources, at.module, at.offset,
					      frame, nr, &known));
	if (known)
		rsd_scan_fail(&p->s, "the source line of a place given twice");
	rsd_source_frames_free(frame, nr);
}

static void parse_object(struct rsd_parser *p)
{
	int kind = rsd_parse_word_of(p, rsd_text_object, RSD_NR_OBJECT_KINDS, "kind of object");
	int64_t id = rsd_parse_value(p);
	struct rsd_object *o;

	rsd_scan_done(&p->s);
	if (!p->s.err && !rsd_trace_object_is_next(p->t, kind, id))
		rsd_scan_fail(&p->s, "object out of order");
	if (p->s.err)
		return;
	o = rsd_trace_add_object(p->t, (enum rsd_object_kind)kind, id);
	if (!o) {
		rsd_scan_error(&p->s, RSD_ERR_NOMEM);
		return;
	}
	for (int i = 0; i < rsd_object_nr_attrs((enum rsd_object_kind)kind); i++)
		rsd_parse_params(p, rsd_text_attr[kind][i], &o->attr[i]);
}

static const struct {
	const char *word;
	void (*parse)(struct rsd_parser *p);
} table_lines[] = {
	{ "complete", parse_complete },
	{ "incomplete", parse_incomplete },
	{ "meta", parse_meta },
	{ "constant", parse_constant },
	{ "string", parse_string },
	{ "function", parse_function },
	{ "module", parse_module },
	{ "signature", parse_signature },
	{ "source", parse_source },
	{ "object", parse_object },
	{ "version", parse_version },
};

bool rsd_parse_table_line(struct rsd_parser *p)
{
	for (size_t i = 0; i < RSD_ARRAY_SIZE(table_lines); i++) {
		if (rsd_scan_take(&p->s, table_lines[i].word)) {
			table_lines[i].parse(p);
			rsd_scan_done(&p->s);
			return true;
		}
	}
	return false;
}

void rsd_parse_end(struct rsd_parser *p, size_t start)
{
	struct rsd_scan *s = &p->s;

	if (rsd_scan_hex(s) != rsd_sum(RSD_SUM_INIT, s->text + start, s->line - start))
		rsd_scan_fail(s, "the checksum does not agree: the trace was altered or damaged");
	rsd_scan_done(s);
}

void rsd_parser_init(
	struct rsd_parser *p, const char *text, size_t len, size_t start, struct rsd_buf *why)
{
	*p = (struct rsd_parser){ .tmp = RSD_BUF_INIT, .room = rsd_reader_room(len) };
	rsd_scan_init(&p->s, text, len, start, why);
}

void rsd_parser_release(struct rsd_parser *p)
{
	rsd_map_release(&p->constant_by_name);
	rsd_map_release(&p->place_by_number);
	rsd_buf_release(&p->tmp);
	free(p->block);
	free(p->val);
}
