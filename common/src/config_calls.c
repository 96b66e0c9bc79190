#include "config_impl.h"

#include <string.h>

/* The next item of a comma-separated list, *pos moves behind it; false at the end. */
static bool next_item(struct rsd_word list, size_t *pos, struct rsd_word *item)
{
	size_t end;

	if (*pos > list.len)
		return false;
	for (end = *pos; end < list.len && list.s[end] != ','; end++)
		;
	*item = (struct rsd_word){ list.s + *pos, end - *pos };
	*pos = end + 1;
	return true;
}

static bool is_choice(struct rsd_word item)
{
	if (rsd_word_is(item, "all"))
		return true;
	if (item.len < 2 || (item.s[0] != '+' && item.s[0] != '-'))
		return false;
	for (size_t i = 1; i < item.len; i++) {
		char ch = item.s[i];

		if (!(ch >= 'a' && ch <= 'z') && !(ch >= 'A' && ch <= 'Z') &&
			!(ch >= '0' && ch <= '9') && ch != '_' && ch != '*')
			return false;
	}
	return true;
}

struct rsd_word rsd_calls_malformed(struct rsd_word list)
{
	struct rsd_word item;
	size_t pos = 0;

	while (next_item(list, &pos, &item)) {
		if (!is_choice(item))
			return item;
	}
	return (struct rsd_word){ NULL, 0 };
}

/* '*' stands for any characters. Goes back to the last star only: linear times the pattern's length. */
static bool matches(struct rsd_word pattern, const char *s)
{
	size_t p = 0, star = SIZE_MAX;
	const char *retry = s;

	while (*s) {
		if (p < pattern.len && pattern.s[p] == '*') {
			star = p++;
			retry = s;
		} else if (p < pattern.len && pattern.s[p] == *s) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.s[p] == '*')
		p++;
	return p == pattern.len;
}

bool rsd_config_wants(const struct rsd_config *c, const char *name, bool local)
{
	struct rsd_word list = { c->calls, strlen(c->calls) }, item;
	bool wanted = !local;
	size_t pos = 0;

	while (list.len && next_item(list, &pos, &item)) {
		if (rsd_word_is(item, "all"))
			wanted = true;
		else if (matches((struct rsd_word){ item.s + 1, item.len - 1 }, name))
			wanted = item.s[0] == '+';
	}
	return wanted;
}

static bool fits_any(struct rsd_word pattern, const char *(*name)(int i, void *arg), void *arg)
{
	const char *s;

	for (int i = 0; (s = name(i, arg)) != NULL; i++) {
		if (matches(pattern, s))
			return true;
	}
	return false;
}

int rsd_config_check_calls(const struct rsd_config *c, const char *(*name)(int i, void *arg),
	void *arg, struct rsd_buf *problems)
{
	struct rsd_word list = { c->calls, strlen(c->calls) }, item;
	size_t pos = 0;
	int nr = 0;

	while (list.len && next_item(list, &pos, &item)) {
		if (rsd_word_is(item, "all") ||
			fits_any((struct rsd_word){ item.s + 1, item.len - 1 }, name, arg))
			continue;
		rsd_buf_printf(problems, "%s: ", rsd_config_options[RSD_OPT_CALLS].variable);
		rsd_word_put(problems, item);
		rsd_buf_printf(problems,
			" fits no function of this MPI; allowed: %s, names as MPI_Send\n",
			rsd_config_options[RSD_OPT_CALLS].allowed);
		nr++;
	}
	return problems->err ? problems->err : nr;
}

bool rsd_config_is_all(const struct rsd_config *c)
{
	return !strcmp(c->calls, "all");
}
