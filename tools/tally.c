/* tally.c - see tally.h */
#include "tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"

#define MAX_EVENTS ((uint64_t)1 << 62)
#define MAX_SECTIONS ((uint64_t)1 << 26) /* of statuses' kinds, stepped through */

int rsd_tally_init(struct rsd_tally *y, const struct rsd_trace *t)
{
	*y = (struct rsd_tally){ .t = t };
	y->calls = rsd_calloc(t->nr_places + 1, sizeof(*y->calls));
	return y->calls ? 0 : RSD_ERR_NOMEM;
}

void rsd_tally_release(struct rsd_tally *y)
{
	free(y->calls);
	free(y->entries);
	rsd_buf_release(&y->why);
}

static int bad(struct rsd_tally *y, const char *what, uint64_t has, uint64_t wanted)
{
	rsd_buf_printf(&y->why, "%s: %" PRIu64 " values, not %" PRIu64, what, has, wanted);
	return RSD_ERR_MISMATCH;
}

/* The rank's column, or NULL with 0 where it has none. */
static int get_column(const struct rsd_params *p, int rank, struct rsd_column **out)
{
	enum rsd_encoding enc;
	int err;

	*out = NULL;
	err = rsd_params_get(p, rank, &enc, out);
	return err == RSD_ERR_END ? 0 : err;
}

static uint64_t length_of(const struct rsd_column *c)
{
	return c ? rsd_column_length(c) : 0;
}

/* The sum of a column of lengths or counts; named constants count as 0. False where one is
 * negative, or all too many. */
static bool sum_of(const struct rsd_column *c, uint64_t *sum)
{
	struct rsd_column_stats s;

	*sum = 0;
	if (!c)
		return true;
	rsd_column_stats(c, &s);
	if (!s.nr)
		return true;
	if (s.min < 0 || s.sum >= (double)MAX_EVENTS)
		return false;
	*sum = (uint64_t)s.sum;
	return true;
}

/* ---- the loops --------------------------------------------------------------------------------
 */

/* A loop that is entered 'entries' times: how often its body is gone through, all in all. */
static int go_through(struct rsd_tally *y, const struct rsd_node *loop, int rank, uint64_t entries,
	uint64_t *body)
{
	struct rsd_column *count;
	int err = get_column(&loop->count, rank, &count);

	if (err)
		return err;
	if (length_of(count) != entries)
		err = bad(y, "counts of a loop", length_of(count), entries);
	else if (!sum_of(count, body)) {
		rsd_buf_printf(&y->why, "counts of a loop are negative, or too large");
		err = RSD_ERR_MISMATCH;
	}
	rsd_column_free(count);
	return err;
}

static int count_tree(struct rsd_tally *y, const struct rsd_tree *tree, int rank)
{
	const struct rsd_node *n = tree->first;
	size_t depth = 0;
	int err = RSD_GROW(y->entries, 1, y->alloc_entries);

	if (err)
		return err;
	y->entries[0] = 1;
	while (n) {
		bool in = !n->ranks || rsd_ranks_has(n->ranks, rank);

		if (in && n->place >= 0)
			y->calls[n->place] += y->entries[depth];
		if (in && n->place < 0) {
			err = RSD_GROW(y->entries, depth + 2, y->alloc_entries);
			if (!err)
				err = go_through(
					y, n, rank, y->entries[depth], &y->entries[depth + 1]);
			if (err)
				return err;
		}
		if (in && n->place < 0 && n->first) {
			depth++;
			n = n->first;
			continue;
		}
		while (n && !n->next) {
			n = n->parent;
			depth -= n != NULL;
		}
		if (n)
			n = n->next;
	}
	return 0;
}

/* ---- the columns --------------------------------------------------------------------------------
 */

struct kinds {
	uint64_t kept, sections;
};

static int count_kept(int64_t start, int64_t stride, uint64_t count, void *arg)
{
	struct kinds *k = arg;

	if (++k->sections > MAX_SECTIONS)
		return 1;
	if (stride == 0 && (start == RSD_STATUS_KEPT || start == RSD_STATUS_MATCHED))
		k->kept += count;
	for (uint64_t i = 0; stride && i < count && i < 4; i++)
		k->kept += start + (int64_t)i * stride == RSD_STATUS_KEPT ||
			   start + (int64_t)i * stride == RSD_STATUS_MATCHED;
	return 0;
}

/* 'kind' and, behind it, source, tag and error: as many of these as there are kinds that have them.
 */
static int check_statuses(
	struct rsd_tally *y, const struct rsd_params *kind, int rank, uint64_t nr, const char *name)
{
	struct kinds k = { 0, 0 };
	struct rsd_column *col;
	int err = get_column(kind, rank, &col), far = 0;

	if (err)
		return err;
	if (length_of(col) != nr)
		err = bad(y, name, length_of(col), nr);
	else if (col)
		far = rsd_column_each(col, count_kept, &k);
	rsd_column_free(col);
	for (int i = 1; i <= 3 && !err && !far; i++) {
		err = get_column(&kind[i], rank, &col);
		if (!err && length_of(col) != k.kept)
			err = bad(y, name, length_of(col), k.kept);
		rsd_column_free(col);
	}
	return err;
}

/* An array's lengths, one a call; *sum is how many elements that makes. */
static int check_lengths(struct rsd_tally *y, const struct rsd_params *p, int rank, uint64_t calls,
	const char *name, uint64_t *sum)
{
	struct rsd_column *col;
	int err = get_column(p, rank, &col);

	if (err)
		return err;
	if (length_of(col) != calls) {
		err = bad(y, name, length_of(col), calls);
	} else if (!sum_of(col, sum)) {
		rsd_buf_printf(&y->why, "%s: a negative length, or too large ones", name);
		err = RSD_ERR_MISMATCH;
	}
	rsd_column_free(col);
	return err;
}

static int check_values(
	struct rsd_tally *y, const struct rsd_params *p, int rank, uint64_t nr, const char *name)
{
	struct rsd_column *col;
	int err = get_column(p, rank, &col);

	if (!err && length_of(col) != nr)
		err = bad(y, name, length_of(col), nr);
	rsd_column_free(col);
	return err;
}

static int check_param(struct rsd_tally *y, const struct rsd_param *p, const struct rsd_params *col,
	int rank, uint64_t calls)
{
	uint64_t nr;
	int err;

	switch ((enum rsd_type)p->type) {
	case RSD_T_INT:
	case RSD_T_STRING:
		return check_values(y, col, rank, calls, p->name);
	case RSD_T_INTS:
	case RSD_T_STRINGS:
		err = check_lengths(y, col, rank, calls, p->name, &nr);
		return err ? err : check_values(y, &col[1], rank, nr, p->name);
	case RSD_T_STATUS:
		return check_statuses(y, col, rank, calls, p->name);
	case RSD_T_STATUSES:
		err = check_lengths(y, col, rank, calls, p->name, &nr);
		return err ? err : check_statuses(y, &col[1], rank, nr, p->name);
	case RSD_NR_TYPES:
		break;
	}
	return 0;
}

static int check_place(struct rsd_tally *y, size_t place, int rank)
{
	const struct rsd_place *p = &y->t->place[place];
	const struct rsd_func *fn = &y->t->func[p->func];
	const struct rsd_params *col = p->col;
	int err = 0;

	if (!col)
		return 0;
	for (int i = 0; i < fn->nr_params && !err; i++) {
		err = check_param(y, &fn->param[i], col, rank, y->calls[place]);
		col += rsd_type_columns((enum rsd_type)fn->param[i].type);
	}
	if (!err)
		err = check_values(y, col, rank, y->calls[place], "error code");
	if (!err && p->has_times)
		err = check_values(y, &p->before_ns, rank, y->calls[place], "time");
	if (!err && p->has_times)
		err = check_values(y, &p->dur_ns, rank, y->calls[place], "duration");
	if (err == RSD_ERR_MISMATCH)
		rsd_buf_printf(&y->why, " (place %zu, %s)", place, fn->name);
	return err;
}

int rsd_tally_rank(struct rsd_tally *y, int rank, uint64_t *events)
{
	int err = 0;

	memset(y->calls, 0, y->t->nr_places * sizeof(*y->calls));
	rsd_buf_reset(&y->why);
	for (size_t i = 0; i < y->t->nr_trees && !err; i++)
		err = count_tree(y, &y->t->tree[i], rank);
	*events = 0;
	for (size_t i = 0; i < y->t->nr_places && !err; i++) {
		err = check_place(y, i, rank);
		*events += y->calls[i];
	}
	return err;
}
