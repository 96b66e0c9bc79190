/* check_match.c - messages and receives in their order, against lists that are gone through */
#include <check.h>
#include <stdlib.h>
#include "match.h"

#define MOST 400

static struct rsd_match match;

static void setup(void)
{
	match = RSD_MATCH_INIT;
}

static void teardown(void)
{
	rsd_match_release(&match);
}

static struct rsd_channel_name channel(int i)
{
	return (struct rsd_channel_name){ i % 2, i % 3, 1 + i % 2, i % 5 };
}

static uint64_t send_one(int i, int64_t ns)
{
	struct rsd_channel_name c = channel(i);
	struct rsd_message m = { .ns = ns, .bytes = (uint64_t)ns };

	ck_assert(rsd_match_send(&match, &c, &m));
	return m.id;
}

START_TEST(a_ticket_is_for_the_message_of_its_number)
{
	struct rsd_channel_name c = channel(1);
	uint64_t first = rsd_match_ticket(&match, &c), second = rsd_match_ticket(&match, &c);
	struct rsd_message m;
	uint64_t id;

	ck_assert(!rsd_match_take(&match, &c, first, &m));
	id = send_one(1, 10);
	send_one(1, 20);
	ck_assert(rsd_match_take(&match, &c, second, &m));
	ck_assert_int_eq(m.ns, 20);
	ck_assert(rsd_match_take(&match, &c, first, &m));
	ck_assert_uint_eq(m.id, id);
	ck_assert(!rsd_match_take(&match, &c, first, &m));
}
END_TEST

START_TEST(a_cancelled_receive_leaves_the_message_to_the_next)
{
	struct rsd_channel_name c = channel(1);
	struct rsd_message m;

	rsd_match_cancel(&match, &c, rsd_match_ticket(&match, &c));
	send_one(1, 10);
	ck_assert(rsd_match_take(&match, &c, rsd_match_ticket(&match, &c), &m));
	ck_assert_int_eq(m.ns, 10);
}
END_TEST

START_TEST(nothing_is_kept_of_what_is_over)
{
	struct rsd_message m;

	for (int i = 0; i < 10000; i++) {
		struct rsd_channel_name c = { 0, 1, 2, i };
		struct rsd_message sent = { .ns = i };

		ck_assert(rsd_match_send(&match, &c, &sent));
		ck_assert(rsd_match_take(&match, &c, rsd_match_ticket(&match, &c), &m));
	}
	ck_assert_uint_eq(match.by_hash.nr, 0);
}
END_TEST

/* The n-th of a channel, by counting; receives are completed in any order. */
START_TEST(any_order_gives_each_receive_its_own)
{
	struct {
		int channel;
		uint64_t id, ticket;
		bool taken;
	} sent[MOST], posted[MOST];
	int nr_sent = 0, nr_posted = 0;

	srand((unsigned)_i);
	for (int step = 0; step < 4 * MOST; step++) {
		int what = rand() % 3, k = rand() % 12;
		struct rsd_channel_name c = channel(k);
		struct rsd_message m;

		if (what == 0 && nr_sent < MOST) {
			sent[nr_sent].channel = k;
			sent[nr_sent++].id = send_one(k, step);
		} else if (what == 1 && nr_posted < MOST) {
			posted[nr_posted].channel = k;
			posted[nr_posted].taken = false;
			posted[nr_posted++].ticket = rsd_match_ticket(&match, &c);
		} else if (nr_posted) {
			int r = rand() % nr_posted, nth = 0, found = -1;
			struct rsd_channel_name own = channel(posted[r].channel);

			for (int i = 0; i <= r; i++) {
				struct rsd_channel_name other = channel(posted[i].channel);

				nth += rsd_match_key(&other) == rsd_match_key(&own);
			}
			for (int i = 0; i < nr_sent && nth; i++) {
				struct rsd_channel_name other = channel(sent[i].channel);

				nth -= rsd_match_key(&other) == rsd_match_key(&own);
				found = nth ? -1 : i;
			}
			if (posted[r].taken)
				continue;
			ck_assert_int_eq(
				rsd_match_take(&match, &own, posted[r].ticket, &m), found >= 0);
			posted[r].taken = found >= 0;
			if (found >= 0)
				ck_assert_uint_eq(m.id, sent[found].id);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("match");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_ticket_is_for_the_message_of_its_number);
	tcase_add_test(tc, a_cancelled_receive_leaves_the_message_to_the_next);
	tcase_add_test(tc, nothing_is_kept_of_what_is_over);
	tcase_add_loop_test(tc, any_order_gives_each_receive_its_own, 0, 40);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
