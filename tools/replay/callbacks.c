#include "callbacks.h"

#include <stdlib.h>
#include <string.h>
#include "optab.h"
#include "player.h"
#include "util.h"

/* What no program's callbacks do, but a damaged trace may tell of. */
#define MOST_KEPT ((size_t)1 << 16)

struct rsd_inner {
	struct rsd_event e;
	size_t val; /* where its values begin */
	bool made;
};

void rsd_callbacks_release(struct rsd_callbacks *c)
{
	free(c->inner);
	free(c->val);
	memset(c, 0, sizeof(*c));
}

/* NULL: it can be kept. */
static const char *why_not(const struct rsd_play *p)
{
	const struct rsd_callbacks *c = &p->callbacks;
	int func = p->r->func[p->e.func].func;

	if (func == RSD_F_MPI_Init || func == RSD_F_MPI_Init_thread || func == RSD_F_MPI_Finalize)
		return "starts or ends MPI in a callback";
	return c->nr < MOST_KEPT ? NULL : "called from a callback, after too many others";
}

static void keep(struct rsd_play *p)
{
	struct rsd_callbacks *c = &p->callbacks;
	const char *why = why_not(p);

	if (!why && (RSD_GROW(c->inner, c->nr + 1, c->alloc) ||
			    RSD_GROW(c->val, c->nr_val + p->e.nr_val, c->alloc_val)))
		why = "called from a callback, and no memory for its arguments";
	if (why) {
		rsd_play_leave_out(p, &p->e, why);
		c->left_out++;
		return;
	}
	memcpy(&c->val[c->nr_val], p->e.val, p->e.nr_val * sizeof(*c->val));
	c->inner[c->nr++] = (struct rsd_inner){ .e = p->e, .val = c->nr_val };
	c->nr_val += p->e.nr_val;
}

bool rsd_callbacks_take(struct rsd_play *p)
{
	if (p->e.nested)
		keep(p);
	return p->e.nested;
}

void rsd_callbacks_begin(struct rsd_play *p)
{
	struct rsd_callbacks *c = &p->callbacks;

	/* They have come to where they stay. */
	for (size_t i = 0; i < c->nr; i++)
		c->inner[i].e.val = &c->val[c->inner[i].val];
	c->from = c->depth = 0;
	c->to = c->nr;
}

static void make(struct rsd_play *p, struct rsd_inner *i)
{
	i->made = true;
	rsd_play_inner(p, &i->e);
	rsd_order_after_calls(p, 1);
}

void rsd_callbacks_run(void)
{
	struct rsd_play *p = rsd_play_self();
	struct rsd_callbacks *c = p ? &p->callbacks : NULL;

	while (c && c->from < c->to) {
		size_t from = c->from, to = c->to, at = from;

		while (at < to && c->inner[at].e.nested != c->depth + 1)
			at++;
		if (at == to)
			return;
		/* What stands before it was made in it. */
		c->to = at;
		c->depth++;
		make(p, &c->inner[at]);
		c->depth--;
		c->from = at + 1;
		c->to = to;
	}
}

static bool has_to_be_made(const struct rsd_play *p, const struct rsd_event *e)
{
	return p->r->in_mpi && !p->r->finalized &&
	       p->r->func[e->func].func == RSD_F_MPI_Grequest_complete &&
	       e->val[e->nr_val - 1] == 0;
}

void rsd_callbacks_end(struct rsd_play *p)
{
	struct rsd_callbacks *c = &p->callbacks;

	/* Stand-ins that are called from now on make nothing. */
	c->from = c->to = 0;
	for (size_t i = 0; i < c->nr; i++) {
		if (c->inner[i].made)
			continue;
		if (has_to_be_made(p, &c->inner[i].e)) {
			make(p, &c->inner[i]);
			continue;
		}
		rsd_play_leave_out(p, &c->inner[i].e, "called from a callback");
		rsd_order_after_calls(p, 1);
	}
	if (c->left_out)
		rsd_order_after_calls(p, c->left_out);
	c->nr = c->nr_val = c->left_out = 0;
}
