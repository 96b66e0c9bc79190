#include <stdlib.h>

#include "lcs.h"
#include "util.h"

struct range {
	int64_t a, nr_a, b, nr_b;
}; /* a[a .. a + nr_a) against b[b .. b + nr_b) */

struct snake {
	int64_t x, y, len;
}; /* a run of pairs on a shortest path, relative to the range */

static bool match(const struct rsd_lcs *l, int64_t x, int64_t y)
{
	--*l->work;
	return l->match(l->a[x], l->b[y], l->arg);
}

static void set_pairs(struct rsd_lcs *l, int64_t x, int64_t y, int64_t len)
{
	for (; len > 0; len--, x++, y++)
		l->pair[l->a[x]] = l->b[y];
}

/* Pairs off equal elements at both ends of the range, which shrinks. */
static void trim(struct rsd_lcs *l, struct range *r)
{
	while (r->nr_a && r->nr_b && match(l, r->a, r->b)) {
		set_pairs(l, r->a++, r->b++, 1);
		r->nr_a--;
		r->nr_b--;
	}
	while (r->nr_a && r->nr_b && match(l, r->a + r->nr_a - 1, r->b + r->nr_b - 1)) {
		r->nr_a--;
		r->nr_b--;
		set_pairs(l, r->a + r->nr_a, r->b + r->nr_b, 1);
	}
}

/* Where a path of d edits goes on diagonal k: one step from the better of its neighbours. */
static int64_t step(const int64_t *v, int64_t d, int64_t k)
{
	return k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
}

/*
 * One more edit for the paths from the front. v[k] is how far along a the best
 * of them is on diagonal k; w the same from the back, seen from there. True when two meet.
 */
static bool advance_ahead(struct rsd_lcs *l, const struct range *r, int64_t d, struct snake *s)
{
	int64_t *v = l->ahead, *w = l->back, delta = r->nr_a - r->nr_b;

	for (int64_t k = -d; k <= d; k += 2) {
		int64_t x = step(v, d, k), x0 = x;

		--*l->work;
		while (x < r->nr_a && x - k < r->nr_b && match(l, r->a + x, r->b + x - k))
			x++;
		v[k] = x;
		if (delta % 2 && k - delta >= -(d - 1) && k - delta <= d - 1 &&
			x + w[delta - k] >= r->nr_a) {
			*s = (struct snake){ x0, x0 - k, x - x0 };
			return true;
		}
	}
	return false;
}

static bool advance_back(struct rsd_lcs *l, const struct range *r, int64_t d, struct snake *s)
{
	int64_t *v = l->ahead, *w = l->back, delta = r->nr_a - r->nr_b;

	for (int64_t k = -d; k <= d; k += 2) {
		int64_t x = step(w, d, k), x0 = x;

		--*l->work;
		while (x < r->nr_a && x - k < r->nr_b &&
			match(l, r->a + r->nr_a - 1 - x, r->b + r->nr_b - 1 - (x - k)))
			x++;
		w[k] = x;
		if (delta % 2 == 0 && delta - k >= -d && delta - k <= d &&
			x + v[delta - k] >= r->nr_a) {
			*s = (struct snake){ r->nr_a - x, r->nr_b - (x - k), x - x0 };
			return true;
		}
	}
	return false;
}

/* False where the account is empty. */
static bool find_middle(struct rsd_lcs *l, const struct range *r, struct snake *s)
{
	l->ahead[1] = l->back[1] = 0;
	for (int64_t d = 0; *l->work > 0; d++) {
		if (advance_ahead(l, r, d, s) || advance_back(l, r, d, s))
			return s->x >= 0 && s->y >= 0 && s->len >= 0 && s->x + s->len <= r->nr_a &&
			       s->y + s->len <= r->nr_b;
	}
	return false;
}

/* Halves the edits each time, so that the depth is logarithmic. */
static void align(struct rsd_lcs *l, struct range r)
{
	struct snake s;

	trim(l, &r);
	if (!r.nr_a || !r.nr_b || !find_middle(l, &r, &s))
		return;
	set_pairs(l, r.a + s.x, r.b + s.y, s.len);
	align(l, (struct range){ r.a, s.x, r.b, s.y });
	align(l, (struct range){ r.a + s.x + s.len, r.nr_a - s.x - s.len, r.b + s.y + s.len,
			 r.nr_b - s.y - s.len });
}

int rsd_lcs_find(struct rsd_lcs *l)
{
	/* Diagonals -d-1 .. d+1, d at most half of all elements (rounded up). */
	size_t half = (l->nr_a + l->nr_b + 1) / 2 + 2;
	int64_t *v = rsd_calloc(4 * half + 2, sizeof(*v));

	if (!v)
		return RSD_ERR_NOMEM;
	l->ahead = v + half;
	l->back = v + 3 * half + 1;
	align(l, (struct range){ 0, (int64_t)l->nr_a, 0, (int64_t)l->nr_b });
	free(v);
	l->ahead = l->back = NULL;
	return 0;
}
