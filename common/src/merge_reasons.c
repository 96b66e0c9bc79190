/* merge_reasons.c - see merge_reasons.h */
#include "merge_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "rank_recursive.h"
#include "util.h"

/* Bytes of a text; what is beyond is left out, which is told. */
#define MAX_REASONS 1000
#define MAX_PARSED ((size_t)16 * MAX_REASONS) /* longer ones nobody has recorded */
static const char separator[] = "; ", more[] = "; and more";

struct reason {
	struct rsd_ranks ranks; /* empty: it names none */
	const char *text;	/* borrowed, behind the ranks */
	size_t len;
};

struct reasons {
	struct reason *list;
	size_t nr, alloc;
};

/* Where "rank 3: " or "ranks 0-4:2,7: " at 's' ends, its ranks in 'out'; NULL: there is no such thing. */
static const char *take_ranks(const char *s, size_t len, struct rsd_ranks *out)
{
	size_t word = len > 5 && !strncmp(s, "rank ", 5) ? 5 : 6, end = word, room = MAX_REASONS;

	if (word == 6 && (len <= 6 || strncmp(s, "ranks ", 6) != 0))
		return NULL;
	while (end + 1 < len && !(s[end] == ':' && s[end + 1] == ' '))
		end++;
	if (end + 1 >= len || s[word] == '-' ||
		rsd_ranks_parse(out, s + word, end - word, INT32_MAX, &room)) {
		rsd_ranks_release(out);
		return NULL;
	}
	return s + end + 2;
}

/* The end of the first reason: before one of other ranks, as a reason may have parts of its own. */
static size_t first_of(const char *s, size_t len)
{
	for (const char *at = s; (at = strstr(at, separator)) && at < s + len; at++) {
		const char *next = at + sizeof(separator) - 1;
		struct rsd_ranks ranks = RSD_RANKS_INIT;
		bool is = take_ranks(next, len - (size_t)(next - s), &ranks) != NULL;

		rsd_ranks_release(&ranks);
		if (is)
			return (size_t)(at - s);
	}
	return len;
}

/* Takes 'ranks', if it can. */
static int add(struct reasons *to, struct rsd_ranks *ranks, const char *text, size_t len)
{
	struct reason *r = to->list;

	while (r < to->list + to->nr &&
		(r->len != len || memcmp(r->text, text, len) != 0 || !r->ranks.nr != !ranks->nr))
		r++;
	if (r < to->list + to->nr)
		return ranks->nr ? rsd_ranks_add(&r->ranks, ranks) : 0;
	if (RSD_GROW(to->list, to->nr + 1, to->alloc))
		return RSD_ERR_NOMEM;
	to->list[to->nr++] = (struct reason){ *ranks, text, len };
	*ranks = (struct rsd_ranks)RSD_RANKS_INIT;
	return 0;
}

static int add_all(struct reasons *to, const char *s)
{
	size_t left = strlen(s);
	int err = 0;

	while (left && !err) {
		size_t len = first_of(s, left);
		struct rsd_ranks ranks = RSD_RANKS_INIT;
		const char *text = take_ranks(s, len, &ranks);

		err = add(to, &ranks, text ? text : s, text ? len - (size_t)(text - s) : len);
		rsd_ranks_release(&ranks);
		s += len;
		left -= len;
		if (left) {
			s += sizeof(separator) - 1;
			left -= sizeof(separator) - 1;
		}
	}
	return err;
}

static void put(const struct reasons *all, struct rsd_buf *out)
{
	for (size_t i = 0; i < all->nr; i++) {
		const struct reason *r = &all->list[i];
		size_t begin = out->len;

		if (i)
			rsd_buf_printf(out, "%s", separator);
		if (r->ranks.nr) {
			rsd_ranks_show(&r->ranks, out);
			rsd_buf_printf(out, ": ");
		}
		rsd_buf_put(out, r->text, r->len);
		if (i && out->len > MAX_REASONS) {
			out->len = begin;
			rsd_buf_printf(out, "%s", more);
			break;
		}
	}
	rsd_buf_put_byte(out, 0);
}

int rsd_merge_reasons(const char *a, const char *b, char **out)
{
	struct reasons all = { NULL, 0, 0 };
	struct rsd_buf text = RSD_BUF_INIT;
	size_t len = strlen(a), cut = sizeof(more) - 1;
	bool full = len >= cut && !strcmp(a + len - cut, more);
	int err = 0;

	*out = NULL;
	if (full || len + strlen(b) > MAX_PARSED) {
		rsd_buf_printf(&text, "%s%s", a, full ? "" : more);
		rsd_buf_put_byte(&text, 0);
	} else {
		err = add_all(&all, a);
		if (!err)
			err = add_all(&all, b);
		if (!err)
			put(&all, &text);
	}
	for (size_t i = 0; i < all.nr; i++)
		rsd_ranks_release(&all.list[i].ranks);
	free(all.list);
	if (!err && text.err)
		err = RSD_ERR_NOMEM;
	if (err)
		rsd_buf_release(&text);
	else
		*out = (char *)text.data;
	return err;
}
