#include "where.h"

#include <stdio.h>
#include <string.h>

#include "opstruct.h"
#include "order.h"
#include "runtime.h"

struct text {
	char *at;
	size_t room; /* with the end */
};

/* False: it does not fit, and nothing has been put. */
static bool put(struct text *out, const char *before, const char *s)
{
	size_t a = strlen(before), b = strlen(s);

	if (a + b >= out->room)
		return false;
	memcpy(out->at, before, a);
	memcpy(out->at + a, s, b + 1);
	out->at += a + b;
	out->room -= a + b;
	return true;
}

static int depth_of(const struct rsd_thread *t)
{
	return __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE);
}

static const char *call_at(const struct rsd_thread *t, int level)
{
	int func = __atomic_load_n(&t->open[level].func, __ATOMIC_RELAXED);

	return func >= 0 && func < rsd_nr_funcs ? rsd_funcs[func].name : "an MPI call";
}

/* The calling thread; where the tracer does not know it, the main one, or any. */
static const struct rsd_thread *first_told(void)
{
	const struct rsd_thread *t = rsd_self ? rsd_self : rsd_thread_main();

	return t ? t : rsd_thread_first();
}

/* The thread that is told first. Returns its outermost call, or NULL. */
static const char *put_first(struct text *out, const struct rsd_thread *t, bool asked)
{
	int depth = depth_of(t);
	const char *outer = depth ? call_at(t, 0) : NULL;
	char number[32] = ", ";

	if (t->number && (depth || asked))
		snprintf(number, sizeof(number), ", thread %d ", t->number);
	if (!depth) {
		if (asked)
			put(out, number, "in no MPI call");
		return NULL;
	}
	put(out, number, "in ");
	put(out, "", call_at(t, depth - 1));
	if (depth > 1)
		put(out, " inside ", outer);
	return outer;
}

/* What ends a list that is too long; there is always room for it. */
static const char cut[] = ", ...)";

/* The others are in a call, and in another one than 'told'. */
static void put_others(struct text *out, const struct rsd_thread *first, const char *told)
{
	struct text rest = *out;
	bool any = false, all = rest.room > sizeof(cut);
	char before[32];

	if (!all)
		return;
	rest.room -= sizeof(cut);
	for (const struct rsd_thread *t = rsd_thread_first(); t && all; t = rsd_thread_next(t)) {
		const char *call = depth_of(t) ? call_at(t, 0) : NULL;

		if (t == first || !call || call == told || rsd_order_has_ended(t))
			continue;
		snprintf(before, sizeof(before), "%sthread %d: ", any ? ", " : " (", t->number);
		all = put(&rest, before, call);
		any |= all;
	}
	if (!any)
		return;
	rest.room += sizeof(cut);
	put(&rest, all ? ")" : cut, "");
	*out = rest;
}

void rsd_where(const char *why, bool asked, char text[static RSD_WHERE])
{
	struct text out = { .at = text, .room = RSD_WHERE };
	const struct rsd_thread *t = first_told();

	*text = 0;
	put(&out, "", why);
	if (t)
		put_others(&out, t, put_first(&out, t, asked));
}
