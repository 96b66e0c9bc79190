/*
 * check_rsd_node.c - folding: what goes in comes out, known shapes fold as they should
 *
 * The oracle is the list of appended symbols; the queue is expanded with the
 * counts taken from its columns in execution order.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "rsd_node.h"
#include "util.h"

struct events { /* a sequence of event symbols */
	rsd_symbol *e;
	size_t nr, alloc;
};

static struct rsd_queue queue;
static struct events in, out;
static uint64_t seed;

static unsigned int random_below(unsigned int n)
{
	seed += 0x9e3779b97f4a7c15u;
	return (unsigned int)(rsd_hash_mix(seed) % n);
}

/* No ck_assert where it would run for each event: each writes to a pipe. */
static void put(struct events *s, rsd_symbol e)
{
	if (RSD_GROW(s->e, s->nr + 1, s->alloc))
		ck_abort_msg("no memory");
	s->e[s->nr++] = e;
}

static void start(int64_t window, int nr_places)
{
	rsd_queue_init(&queue, window);
	in = out = (struct events){ 0 };
	for (int i = 0; i < nr_places; i++)
		ck_assert_uint_eq(rsd_symbols_add_place(&queue.symbols, i), (unsigned int)i);
}

static void finish(void)
{
	rsd_queue_release(&queue);
	free(in.e);
	free(out.e);
}

static void add(rsd_symbol e)
{
	put(&in, e);
	if (rsd_queue_append(&queue, e))
		ck_abort_msg("append failed");
}

static void add_text(const char *s, int times)
{
	while (times-- > 0) {
		for (const char *p = s; *p; p++)
			add((rsd_symbol)(*p - 'a'));
	}
}

/* ---- expansion ------------------------------------------------------------------- */

static void expand(rsd_symbol sym, struct rsd_cursor **count)
{
	const struct rsd_symbol_info *s = &queue.symbols.sym[sym];
	int64_t n;

	if (s->place >= 0) {
		put(&out, sym);
		return;
	}
	if (rsd_cursor_next(count[sym], &n) || n < 0)
		ck_abort_msg("symbol %u: no count", sym);
	while (n-- > 0) {
		size_t before = out.nr;

		for (uint32_t i = 0; i < s->nr_body; i++)
			expand(queue.symbols.body[s->body + i], count);
		if (out.nr == before || out.nr > in.nr)
			ck_abort_msg("an iteration without an event, or too many");
	}
}

static void expansion_is_what_was_appended(void)
{
	struct rsd_cursor **count;
	int64_t n;

	ck_assert_int_eq(rsd_queue_close(&queue), 0);
	ck_assert_uint_eq(queue.nr_events, in.nr);
	count = rsd_calloc(queue.symbols.nr, sizeof(*count));
	for (size_t i = 0; i < queue.symbols.nr; i++) {
		if (queue.symbols.sym[i].place < 0)
			count[i] = rsd_cursor_new(queue.symbols.sym[i].count);
	}
	for (size_t i = 0; i < queue.nr; i++)
		expand(queue.top[i].sym, count);
	ck_assert_uint_eq(out.nr, in.nr);
	ck_assert_int_eq(in.nr ? memcmp(in.e, out.e, in.nr * sizeof(*in.e)) : 0, 0);
	for (size_t i = 0; i < queue.symbols.nr; i++) {
		if (count[i])
			ck_assert_int_eq(rsd_cursor_next(count[i], &n), RSD_ERR_END);
		rsd_cursor_free(count[i]);
	}
	free(count);
}

/* The structure as text: letters, a loop as "(body)*". */
static char *print_symbol(char *p, rsd_symbol sym)
{
	const struct rsd_symbol_info *s = &queue.symbols.sym[sym];

	if (s->place >= 0) {
		*p++ = (char)('a' + s->place);
		return p;
	}
	*p++ = '(';
	for (uint32_t i = 0; i < s->nr_body; i++)
		p = print_symbol(p, queue.symbols.body[s->body + i]);
	*p++ = ')';
	*p++ = '*';
	return p;
}

static void structure_is(const char *want)
{
	char *text = rsd_malloc(1 << 16), *p = text;

	expansion_is_what_was_appended();
	for (size_t i = 0; i < queue.nr; i++)
		p = print_symbol(p, queue.top[i].sym);
	*p = 0;
	ck_assert_str_eq(text, want);
	free(text);
}

/* ---- known shapes ------------------------------------------------------------------ */

START_TEST(one_event_again_and_again_is_a_loop)
{
	start(-1, 1);
	add_text("a", 1000);
	structure_is("(a)*");
	finish();
}
END_TEST

START_TEST(inner_runs_fold_first)
{
	start(-1, 2);
	add_text("aab", 30);
	structure_is("((a)*b)*");
	finish();
}
END_TEST

START_TEST(a_body_may_begin_as_it_ends)
{
	start(-1, 2);
	add_text("aba", 30);
	structure_is("a(b(a)*)*");
	finish();
}
END_TEST

START_TEST(an_inner_loop_may_end_the_body)
{
	start(-1, 2);
	for (int i = 0; i < 50; i++) {
		add_text("a", 1);
		add_text("b", 3 + i % 4);
	}
	structure_is("(a(b)*)*");
	finish();
}
END_TEST

START_TEST(triangular_loops_are_one_loop)
{
	start(-1, 2);
	for (int i = 1; i <= 12; i++) {
		add_text("a", 1);
		add_text("b", i);
	}
	structure_is("(a(b)*)*");
	finish();
}
END_TEST

START_TEST(an_inner_loop_may_be_passed_over)
{
	start(-1, 3);
	for (int i = 20; i-- > 0;) {
		add_text("a", 1);
		add_text("b", i % 5);
		add_text("c", 1);
	}
	structure_is("(a(b)*c)*");
	finish();
}
END_TEST

START_TEST(nested_loops_and_interruptions)
{
	start(-1, 4);
	add_text("c", 83);
	add_text("d", 1);
	add_text("c", 17);
	structure_is("(c)*d(c)*");
	finish();
}
END_TEST

START_TEST(three_levels_nest)
{
	start(-1, 4);
	for (int i = 0; i < 10; i++) {
		add_text("a", 1);
		for (int j = 0; j < 5; j++) {
			add_text("bc", 3 + (i + j) % 3);
			add_text("d", 1);
		}
	}
	structure_is("(a((bc)*d)*)*");
	finish();
}
END_TEST

START_TEST(inner_loops_of_varying_length_stay_inside)
{
	start(-1, 5);
	for (int k = 0; k < 400; k++) {
		add_text("a", 1);
		add_text("bc", 1 + k * 7 % 5);
		add_text("d", 1);
		add_text("b", k * 3 % 4);
	}
	structure_is("abcd(a(bc)*d(b)*)*");
	finish();
}
END_TEST

/* One more call every now and then: a loop around the loop of the ordinary iterations. */
START_TEST(rare_odd_iterations_are_a_loop_around)
{
	start(-1, 4);
	for (int i = 0; i < 3000; i++)
		add_text(i % 30 == 29 ? "abcd" : "abc", 1);
	structure_is("((abc)*d)*");
	finish();

	start(-1, 4);
	for (int i = 0; i < 3000; i++)
		add_text(i % 30 == 29 ? "abdc" : "abc", 1);
	structure_is("(abc)*ab(d(cab)*)*dc");
	finish();
}
END_TEST

/* However often they come, and however irregularly, a call more or less makes no more of the queue. */
START_TEST(odd_iterations_at_random_cost_counts_only)
{
	static const char *const odd[] = { "abdc", "abbc", "ac", "abcabd" };

	seed = 7;
	for (size_t k = 0; k < RSD_ARRAY_SIZE(odd); k++) {
		start(-1, 4);
		for (int i = 0; i < 4000; i++)
			add_text(random_below(50) ? "abc" : odd[k], 1);
		expansion_is_what_was_appended();
		ck_assert_uint_lt(queue.nr + queue.symbols.nr, 40);
		finish();
	}
}
END_TEST

START_TEST(phases_are_loops_one_after_the_other)
{
	start(-1, 5);
	add_text("ab", 400);
	add_text("acd", 300);
	add_text("ab", 100);
	structure_is("(ab)*(acd)*(ab)*");
	finish();

	start(-1, 5);
	for (int k = 0; k < 50; k++) {
		add_text("ab", 40 + k % 7);
		add_text("cd", 60);
		add_text("e", 1);
	}
	structure_is("((ab)*(cd)*e)*");
	finish();
}
END_TEST

/* What follows no rule is stored as it came, and what follows a rule afterwards folds. */
START_TEST(phases_without_a_rule_leave_the_others)
{
	const int nr = 5000;
	size_t before;

	seed = 3;
	start(-1, 8);
	for (int i = 0; i < nr; i++)
		add((rsd_symbol)random_below(8));
	before = queue.nr;
	add_text("abcdef", 1000);
	ck_assert_uint_le(queue.nr, before + 30);
	expansion_is_what_was_appended();
	finish();
}
END_TEST

START_TEST(a_body_of_10000_symbols_folds)
{
	const int nr = 10000, iterations = 9;
	const unsigned int places = _i == 0 ? 10000 : _i == 1 ? 50 : 3;
	size_t settled;
	rsd_symbol *body = rsd_malloc((size_t)nr * sizeof(*body));

	start(-1, (int)places);
	for (int i = 0; i < nr; i++)
		body[i] = places == 10000 ? (rsd_symbol)i : random_below(places);
	for (int k = 0; k < iterations; k++) {
		for (int i = 0; i < nr; i++)
			add(body[i]);
	}
	ck_assert_uint_lt(queue.nr, (unsigned int)nr);
	expansion_is_what_was_appended();
	/* whatever the start looked like, it does not grow any more */
	settled = queue.nr + queue.symbols.nr;
	for (int k = 0; k < iterations; k++) {
		for (int i = 0; i < nr; i++)
			add(body[i]);
	}
	out.nr = 0;
	expansion_is_what_was_appended();
	ck_assert_uint_le(queue.nr + queue.symbols.nr, settled + 10);
	free(body);
	finish();
}
END_TEST

START_TEST(the_window_bounds_the_period)
{
	start(3, 4);
	add_text("abcd", 10);
	ck_assert_uint_eq(queue.nr, 40);
	add_text("abc", 10);
	ck_assert_uint_eq(queue.nr, 41);
	expansion_is_what_was_appended();
	finish();

	start(0, 1);
	add_text("a", 10);
	structure_is("aaaaaaaaaa");
	finish();
}
END_TEST

START_TEST(appends_go_on_after_a_close)
{
	start(-1, 2);
	for (int i = 0; i < 30; i++) {
		add_text("ab", 3);
		add_text("a", i % 2);
		ck_assert_int_eq(rsd_queue_close(&queue), 0);
	}
	expansion_is_what_was_appended();
	finish();
}
END_TEST

/* ---- random programs ------------------------------------------------------------------ */

static void run_random(int depth, unsigned int places)
{
	unsigned int nr = 1 + random_below(4);

	for (unsigned int i = 0; i < nr && in.nr < 20000; i++) {
		if (depth > 0 && random_below(2)) {
			uint64_t kept = seed, body = rsd_hash_mix(seed + 1);
			unsigned int n = random_below(2) ? random_below(4) : random_below(30);

			for (unsigned int k = 0; k < n; k++) {
				seed = random_below(8) ? body : body + k;
				run_random(depth - 1, places);
				if (random_below(200) == 0)
					add(random_below(places));
			}
			seed = kept + 7;
		} else {
			add(random_below(places));
		}
	}
}

static void random_programs(int nr)
{
	static const int64_t window[] = { -1, -1, 0, 1, 2, 5, 20, 300 };

	seed = (uint64_t)nr * 77 + 5;
	start(window[nr % (int)RSD_ARRAY_SIZE(window)], 30);
	for (int k = 0; k < 5; k++)
		run_random(2 + nr % 4, 1 + (unsigned int)nr % 30);
	expansion_is_what_was_appended();
	finish();
}

START_TEST(random_programs_come_back)
{
	for (int i = 0; i < 20; i++)
		random_programs(20 * _i + i);
}
END_TEST

static void random_sequence(int nr)
{
	static const unsigned int places[] = { 1, 2, 3, 5, 10, 50 };
	unsigned int n = places[nr % (int)RSD_ARRAY_SIZE(places)];

	seed = (uint64_t)nr;
	start(nr % 3 ? -1 : nr % 50, (int)n);
	for (int i = 0; i < 20000; i++)
		add(random_below(n));
	expansion_is_what_was_appended();
	finish();
}

START_TEST(random_sequences_come_back)
{
	for (int i = 0; i < 6; i++)
		random_sequence(6 * _i + i);
}
END_TEST

/* Mostly regular with sticky choices: opens and closes loops often, in all positions. */
static void drifting_sequence(int nr)
{
	char pattern[12] = "abcab";

	seed = (uint64_t)nr + 1000;
	start(-1, 4);
	while (in.nr < 5000) {
		size_t len = strlen(pattern);

		add_text(pattern, (int)random_below(6));
		for (size_t i = 0, n = random_below((unsigned int)len); i < n; i++)
			add((rsd_symbol)(pattern[i] - 'a'));
		if (random_below(3) == 0)
			pattern[random_below((unsigned int)len)] = (char)('a' + random_below(3));
		if (random_below(8) == 0) {
			len = 1 + random_below(10);
			memset(pattern, 0, sizeof(pattern));
			for (size_t i = 0; i < len; i++)
				pattern[i] = (char)('a' + random_below(4));
		}
	}
	expansion_is_what_was_appended();
	finish();
}

START_TEST(drifting_sequences_come_back)
{
	for (int i = 0; i < 20; i++)
		drifting_sequence(20 * _i + i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rsd_node");
	TCase *tc = tcase_create("rsd_node");
	SRunner *r;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, one_event_again_and_again_is_a_loop);
	tcase_add_test(tc, inner_runs_fold_first);
	tcase_add_test(tc, a_body_may_begin_as_it_ends);
	tcase_add_test(tc, an_inner_loop_may_end_the_body);
	tcase_add_test(tc, triangular_loops_are_one_loop);
	tcase_add_test(tc, an_inner_loop_may_be_passed_over);
	tcase_add_test(tc, nested_loops_and_interruptions);
	tcase_add_test(tc, three_levels_nest);
	tcase_add_test(tc, inner_loops_of_varying_length_stay_inside);
	tcase_add_test(tc, rare_odd_iterations_are_a_loop_around);
	tcase_add_test(tc, odd_iterations_at_random_cost_counts_only);
	tcase_add_test(tc, phases_are_loops_one_after_the_other);
	tcase_add_test(tc, phases_without_a_rule_leave_the_others);
	tcase_add_loop_test(tc, a_body_of_10000_symbols_folds, 0, 3);
	tcase_add_test(tc, the_window_bounds_the_period);
	tcase_add_test(tc, appends_go_on_after_a_close);
	tcase_add_loop_test(tc, random_programs_come_back, 0, 15);
	tcase_add_loop_test(tc, random_sequences_come_back, 0, 5);
	tcase_add_loop_test(tc, drifting_sequences_come_back, 0, 10);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
