/* check_stream_copy.c - a copy of a stream is the stream as it was then, and the stream goes on as if there were none */
#include "random_trace.h"

#include <check.h>

#include "transfer.h"

static struct rsd_trace *trace_of(struct rsd_stream *s, const struct rsd_stream_context *ctx)
{
	struct rsd_trace *t = rsd_trace_new(ctx->nprocs);

	ck_assert_int_eq(rsd_ranks_append(&t->ranks, ctx->rank), 0);
	ck_assert_int_eq(rsd_stream_to_trace(s, 0, ctx, t), 0);
	return t;
}

static void assert_same(struct rsd_trace *a, struct rsd_trace *b)
{
	struct rsd_buf x = RSD_BUF_INIT, y = RSD_BUF_INIT;

	rsd_trace_encode(a, &x);
	rsd_trace_encode(b, &y);
	ck_assert_int_eq(x.err, 0);
	ck_assert_uint_eq(x.len, y.len);
	ck_assert_mem_eq(x.data, y.data, x.len);
	rsd_buf_release(&x);
	rsd_buf_release(&y);
}

/* The stream of the same events, which was never copied. */
static void record_again(struct rsd_stream *s, const struct random_rank *r, int thread)
{
	const struct rsd_stream *from = &r->stream[thread];
	struct rsd_flat_reader in;
	struct rsd_flat_event e;

	rsd_stream_init(s, random_funcs, -1);
	rsd_flat_reader_init(&in, r->log[thread].data, r->log[thread].len);
	while (!rsd_flat_next(&in, &e)) {
		const struct rsd_stream_place *p = &from->place[e.place];
		int place = rsd_stream_place(s, p->func, p->sig, p->nested);

		ck_assert_int_eq(place, e.place);
		ck_assert_int_eq(
			rsd_stream_append(s, place, e.val, e.nr_val,
				r->times ? RSD_TIME_FULL : RSD_TIME_OFF, e.before_ns, e.dur_ns),
			0);
	}
	rsd_flat_reader_release(&in);
}

static void compare(struct random_rank *r, int thread, void *arg)
{
	struct rsd_stream copy, again;
	struct rsd_trace *a, *b;

	(void)arg;
	ck_assert_int_eq(rsd_stream_copy(&copy, &r->stream[thread]), 0);
	record_again(&again, r, thread);
	a = trace_of(&copy, &r->ctx);
	b = trace_of(&again, &r->ctx);
	assert_same(a, b);
	rsd_trace_free(a);
	rsd_trace_free(b);
	rsd_stream_release(&copy);
	rsd_stream_release(&again);
}

START_TEST(copies_of_random_programs)
{
	for (unsigned seed = 0; seed < 400; seed++) {
		struct random_options o = { .nprocs = 3, .times = seed % 2, .block = compare };
		struct random_rank r;

		random_init(&r, &o, 1, seed);
		random_run(&r, &o, seed);
		/* After all those copies the streams are still what they would be without. */
		for (int t = 0; t < RANDOM_THREADS; t++)
			compare(&r, t, NULL);
		for (int t = 0; t < RANDOM_THREADS; t++) {
			struct rsd_stream again;
			struct rsd_trace *a, *b;

			record_again(&again, &r, t);
			a = trace_of(&r.stream[t], &r.ctx);
			b = trace_of(&again, &r.ctx);
			assert_same(a, b);
			rsd_trace_free(a);
			rsd_trace_free(b);
			rsd_stream_release(&again);
		}
		random_release(&r);
	}
}
END_TEST

/* Long enough for loops in loops, columns that are watched, and events that are only counted. */
START_TEST(copies_of_a_long_run)
{
	struct random_options o = { .nprocs = 3 };
	struct random_rank r;

	random_init(&r, &o, 1, 7);
	for (int i = 0; i < 6000; i++) {
		int func = i / 1000 % 2 ? i % 3 : rand() % RANDOM_NR_FUNCS;

		random_event(&r, 0, func, i % 50);
		if (i % 997 == 0)
			compare(&r, 0, NULL);
	}
	compare(&r, 0, NULL);
	random_release(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stream_copy");
	TCase *tc = tcase_create("all");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, copies_of_random_programs);
	tcase_add_test(tc, copies_of_a_long_run);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
