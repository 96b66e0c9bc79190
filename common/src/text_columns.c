#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text_parse.h"
#include "trace_text.h"
#include "util.h"

int rsd_text_word_index(const char *p, size_t len, const char *const *list, int nr)
{
	for (int i = 0; i < nr; i++)
		if (strlen(list[i]) == len && !memcmp(list[i], p, len))
			return i;
	return -1;
}

int rsd_parse_word_of(struct rsd_parser *p, const char *const *list, int nr, const char *what)
{
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len);
	int i = w ? rsd_text_word_index(w, len, list, nr) : -1;

	if (i < 0)
		rsd_scan_fail(&p->s, "unknown %s", what);
	return i < 0 ? 0 : i;
}

int rsd_parse_add_constant(struct rsd_parser *p, int index, const char *name)
{
	uint64_t key = rsd_hash_bytes(name, strlen(name), 0);
	int err = rsd_trace_set_constant(p->t, index, name);

	while (!err && rsd_map_find(&p->constant_by_name, key))
		key++;
	return err ? err : rsd_map_set(&p->constant_by_name, key, (uint64_t)index);
}

int rsd_parse_find_constant(const struct rsd_parser *p, const char *name, size_t len)
{
	uint64_t key = rsd_hash_bytes(name, len, 0);
	const uint64_t *known;

	for (; (known = rsd_map_find(&p->constant_by_name, key)); key++) {
		const char *k = p->t->constant[*known];

		if (strlen(k) == len && !memcmp(k, name, len))
			return (int)*known;
	}
	return -1;
}

int64_t rsd_parse_value(struct rsd_parser *p)
{
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len);
	uint64_t index = 0;
	int64_t v = 0;
	int known;

	if (!w)
		return 0;
	if (w[0] == '<' && len > 2 && w[len - 1] == '>') {
		known = rsd_parse_find_constant(p, w + 1, len - 2);
		if (known >= 0)
			return RSD_CONST(known);
	} else if (w[0] == 'c' && rsd_scan_parse_uint(w + 1, len - 1, 10, &index) &&
		   index < RSD_CONST_MAX) {
		return RSD_CONST(index);
	} else if (rsd_scan_parse_int(w, len, &v)) {
		return v;
	}
	rsd_scan_fail(&p->s, "not a value");
	return 0;
}

/* ---- columns ------------------------------------------------------------------ */

/* Bytes of "<NAME>" at 'text', with the constant's number in *known; 0: there is none. */
static size_t named(const struct rsd_parser *p, const char *text, size_t len, int *known)
{
	size_t n = 1;

	while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_'))
		n++;
	*known = n < len && text[n] == '>' ? rsd_parse_find_constant(p, text + 1, n - 1) : -1;
	return *known < 0 ? 0 : n + 1;
}

/* Copies a column's text to p->tmp with <NAME> turned back into cINDEX. */
static void unname(struct rsd_parser *p, const char *text, size_t len)
{
	const char *end = text + len;

	rsd_buf_reset(&p->tmp);
	while (text < end) {
		const char *open = memchr(text, '<', (size_t)(end - text));
		size_t n = (size_t)((open ? open : end) - text);
		int known;

		rsd_buf_put(&p->tmp, text, n);
		text += n;
		if (text == end)
			break;
		n = named(p, text, (size_t)(end - text), &known);
		if (n)
			rsd_buf_printf(&p->tmp, "c%d", known);
		else
			rsd_buf_put_byte(&p->tmp, '<');
		text += n ? n : 1;
	}
	rsd_scan_error(&p->s, p->tmp.err);
}

/* A column, up to ';' or the end of the line. */
static struct rsd_column *scan_column(struct rsd_parser *p)
{
	bool symbolic = rsd_scan_take(&p->s, "sym");
	struct rsd_column *c = NULL;
	const char *text, *semicolon;
	size_t len, end = 0;
	int err;

	if (rsd_scan_at_end(&p->s)) {
		rsd_scan_fail(&p->s, "a column expected");
		return NULL;
	}
	text = p->s.text + p->s.pos;
	len = p->s.end - p->s.pos;
	semicolon = memchr(text, ';', len);
	if (semicolon)
		len = (size_t)(semicolon - text);
	unname(p, text, len);
	if (p->s.err)
		return NULL;
	while (p->tmp.len && p->tmp.data[p->tmp.len - 1] == ' ')
		p->tmp.len--;
	err = rsd_column_parse(&c, (char *)p->tmp.data, p->tmp.len, symbolic, &end);
	if (err == RSD_ERR_FORMAT || (!err && end != p->tmp.len))
		rsd_scan_fail(&p->s, "not a column");
	rsd_scan_error(&p->s, err);
	if (p->s.err && !err) {
		rsd_column_free(c);
		c = NULL;
	}
	p->s.pos += len;
	return p->s.err ? NULL : c;
}

void rsd_parse_ranks(struct rsd_parser *p, struct rsd_ranks *out)
{
	size_t len;
	const char *w = rsd_scan_word(&p->s, &len);
	int err;

	if (!w)
		return;
	if (len == 1 && w[0] == '*')
		err = rsd_ranks_copy(out, &p->t->ranks);
	else
		err = rsd_ranks_parse(out, w, len, p->t->nprocs, &p->room);
	if (err == RSD_ERR_FORMAT)
		rsd_scan_fail(&p->s, "not a set of ranks below %d", p->t->nprocs);
	else
		rsd_scan_error(&p->s, err);
}

/* "; INDEX COLUMN" ... */
static void scan_numbers(struct rsd_parser *p, struct rsd_variant *v)
{
	size_t alloc = 0;

	while (!rsd_scan_at_end(&p->s)) {
		struct rsd_number n;

		rsd_scan_expect(&p->s, ";");
		n.index = (uint32_t)rsd_scan_int(&p->s, 0, UINT32_MAX);
		if (p->s.err ||
			rsd_scan_error(&p->s, RSD_GROW(v->number, v->nr_numbers + 1, alloc)))
			return;
		n.over = scan_column(p);
		if (!n.over)
			return;
		v->number[v->nr_numbers++] = n;
	}
}

/* The rest of a column's line: RANKS [rel] COLUMN [; INDEX COLUMN]... */
static void scan_variant(struct rsd_parser *p, struct rsd_params *out)
{
	struct rsd_ranks ranks = RSD_RANKS_INIT;
	struct rsd_variant *v;
	int e;

	rsd_parse_ranks(p, &ranks);
	e = rsd_scan_take(&p->s, "rel") ? RSD_E_REL : RSD_E_ABS;
	if (p->s.err || rsd_scan_error(&p->s, RSD_GROW(out->enc[e].variant, out->enc[e].nr + 1,
						      out->enc[e].alloc))) {
		rsd_ranks_release(&ranks);
		return;
	}
	v = &out->enc[e].variant[out->enc[e].nr++];
	*v = (struct rsd_variant){ .ranks = ranks };
	v->col = scan_column(p);
	if (!v->col)
		return;
	scan_numbers(p, v);
}

/* What the text said is checked by the one decoder there is: it goes through bytes. */
void rsd_parse_params(struct rsd_parser *p, const char *name, struct rsd_params *out)
{
	struct rsd_params raw = RSD_PARAMS_INIT;
	struct rsd_buf bytes = RSD_BUF_INIT;
	struct rsd_reader in;

	while (rsd_scan_indented(&p->s, 1) && rsd_scan_next_is(&p->s, name) &&
		rsd_scan_line(&p->s)) {
		rsd_scan_expect(&p->s, name);
		scan_variant(p, &raw);
	}
	if (!p->s.err && (raw.enc[0].nr || raw.enc[1].nr)) {
		rsd_params_encode(&raw, &bytes);
		rsd_scan_error(&p->s, bytes.err);
		rsd_reader_init(&in, bytes.data, bytes.len);
		if (!p->s.err) {
			int err = rsd_params_decode(out, &in, p->t->nprocs);

			if (err == RSD_ERR_FORMAT)
				rsd_scan_fail(&p->s, "column '%s' contradicts itself", name);
			rsd_scan_error(&p->s, err);
		}
	}
	rsd_buf_release(&bytes);
	rsd_params_release(&raw);
}
