/*
 * count_calls.c - what can be told without walking: threads, and how often each place is called
 *
 * Every call appends one value to the last column of its place, so the number of calls
 * is that column's length, summed over ranks. Where ranks share a variant and only one number
 * of it decides on the length, the length is linear in that number (a count), and so
 * the sum needs only the sum of the number over the ranks.
 */
#include "walk.h"

#include <stdlib.h>

#include "flat.h"
#include "util.h"

/* The length of the variant's column with number 'index' set to 'value'. false where that cannot
 * be. */
static bool length_with(const struct rsd_variant *v, int64_t *number, uint32_t index, int64_t value,
	uint64_t *length)
{
	int64_t kept = number[index];
	struct rsd_column *c;

	number[index] = value;
	c = rsd_column_with_numbers(v->col, number);
	number[index] = kept;
	if (!c)
		return false;
	*length = rsd_column_length(c);
	rsd_column_free(c);
	return true;
}

/*
 * Sum of lengths over the ranks of a variant; false where it is not linear in one number. With
 * all differing numbers but one fixed the lengths of counts 2 and 4 tell how it depends on that
 * one.
 */
static bool sum_linear(const struct rsd_variant *v, uint64_t *sum)
{
	size_t nr = rsd_column_nr_numbers(v->col), ranks = rsd_ranks_count(&v->ranks);
	int64_t *number = rsd_malloc(nr * sizeof(*number) + 1);
	uint64_t two, four, values = 0;
	bool linear = number != NULL;
	size_t counts = 0;

	*sum = rsd_column_length(v->col) * ranks;
	if (number)
		rsd_column_get_numbers(v->col, number);
	for (size_t i = 0; i < v->nr_numbers && linear; i++) {
		uint32_t k = v->number[i].index;

		linear = k < nr && length_with(v, number, k, 2, &two) &&
			 length_with(v, number, k, 4, &four);
		if (!linear || four == two)
			continue;
		linear = counts++ == 0;
		values = rsd_column_total(v->number[i].over);
		/* length = two + (number - 2) * (four - two) / 2 */
		*sum = ranks * two + (values - 2 * (uint64_t)ranks) * ((four - two) / 2);
	}
	free(number);
	return linear;
}

static int sum_by_rank(const struct rsd_params *p, const struct rsd_ranks *ranks, uint64_t *sum)
{
	*sum = 0;
	for (int r = rsd_ranks_first(ranks); r >= 0; r = rsd_ranks_next(ranks, r)) {
		enum rsd_encoding enc;
		struct rsd_column *c;
		int err = rsd_params_get(p, r, &enc, &c);

		if (err)
			return err;
		*sum += rsd_column_length(c);
		rsd_column_free(c);
	}
	return 0;
}

static int count_place(const struct rsd_params *p, uint64_t *calls)
{
	int enc = p->enc[RSD_E_ABS].nr ? RSD_E_ABS : RSD_E_REL, err;

	for (size_t i = 0; i < p->enc[enc].nr; i++) {
		const struct rsd_variant *v = &p->enc[enc].variant[i];
		uint64_t sum;

		if (v->nr_numbers == 0) {
			sum = rsd_column_length(v->col) * rsd_ranks_count(&v->ranks);
		} else if (!sum_linear(v, &sum)) {
			err = sum_by_rank(p, &v->ranks, &sum);
			if (err)
				return err;
		}
		*calls += sum;
	}
	return 0;
}

static int count_log(const struct rsd_log *log, size_t nr_places, uint64_t *calls)
{
	struct rsd_flat_reader r;
	struct rsd_flat_event e;
	int err;

	rsd_flat_reader_init(&r, log->bytes.data, log->bytes.len);
	while (!(err = rsd_flat_next(&r, &e))) {
		if ((size_t)e.place >= nr_places) {
			err = RSD_ERR_FORMAT;
			break;
		}
		calls[e.place]++;
	}
	rsd_flat_reader_release(&r);
	return err == RSD_ERR_END ? 0 : err;
}

int rsd_trace_count_calls(const struct rsd_trace *t, uint64_t *calls)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_places && !err; i++) {
		const struct rsd_place *p = &t->place[i];

		calls[i] = 0;
		err = count_place(&p->col[rsd_func_columns(&t->func[p->func]) - 1], &calls[i]);
	}
	for (size_t i = 0; i < t->nr_logs && !err; i++)
		err = count_log(&t->log[i], t->nr_places, calls);
	return err;
}

static bool tree_has(const struct rsd_tree *tree, int rank)
{
	for (const struct rsd_node *n = tree->first; n; n = n->next) {
		if (!n->ranks || rsd_ranks_has(n->ranks, rank))
			return true;
	}
	return false;
}

struct numbers {
	int *n;
	size_t nr, alloc;
};

static int add_thread(struct numbers *l, int thread)
{
	int err = RSD_GROW(l->n, l->nr + 1, l->alloc);

	if (!err)
		l->n[l->nr++] = rsd_thread_number(thread);
	return err;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Sorts, and keeps one of each. */
static void make_set(struct numbers *l)
{
	size_t kept = 0;

	if (l->nr)
		qsort(l->n, l->nr, sizeof(*l->n), compare_ints);
	for (size_t i = 0; i < l->nr; i++) {
		if (!kept || l->n[i] != l->n[kept - 1])
			l->n[kept++] = l->n[i];
	}
	l->nr = kept;
}

int rsd_trace_threads(const struct rsd_trace *t, int rank, int **thread, size_t *nr)
{
	struct numbers l = { NULL, 0, 0 };
	const struct rsd_log *log = NULL;
	bool has = rsd_ranks_has(&t->ranks, rank);
	int err = RSD_GROW(l.n, 1, l.alloc);

	for (size_t i = 0; has && !err && i < t->nr_trees; i++) {
		if (tree_has(&t->tree[i], rank))
			err = add_thread(&l, t->tree[i].thread);
	}
	while (has && !err && (log = rsd_trace_other_thread(t, rank, log)))
		err = add_thread(&l, log->thread);
	if (err) {
		free(l.n);
		l = (struct numbers){ NULL, 0, 0 };
	}
	make_set(&l);
	*thread = l.n;
	*nr = l.nr;
	return err;
}
