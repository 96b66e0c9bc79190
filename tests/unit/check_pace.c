/* check_pace.c - pauses between calls: what one of them is late, the next ones make up for */
#include "pace.h"

#include <check.h>
#include <stdlib.h>
#include "replay/clock.h"
#include "player.h"

#define MS 1000000

static struct rsd_replay r = { .opt = { .scale = 1 } };

const struct rsd_node *rsd_walk_node(const struct rsd_walk *w)
{
	(void)w;
	return NULL;
}

static struct rsd_play player(void)
{
	return (struct rsd_play){ .r = &r, .e = { .has_time = true } };
}

static void pause_for(struct rsd_play *p, int64_t ns)
{
	p->e.begin_ns = p->recorded_end + ns;
	rsd_pace(p);
}

START_TEST(lateness_does_not_add_up)
{
	struct rsd_play p = player();
	uint64_t late;

	/* Held up for 5 ms before a pause of one. */
	p.left_ns = rsd_replay_clock_ns() - 5 * MS;
	pause_for(&p, MS);
	ck_assert_uint_ge(p.late_ns, 4 * MS);
	late = p.late_ns;
	for (int i = 0; i < 3; i++) {
		p.left_ns = rsd_replay_clock_ns();
		pause_for(&p, MS);
		late -= MS;
		ck_assert_uint_eq(p.late_ns, late);
	}
}
END_TEST

START_TEST(a_pause_is_kept)
{
	struct rsd_play p = player();

	p.left_ns = rsd_replay_clock_ns();
	pause_for(&p, 2 * MS);
	ck_assert_uint_ge(rsd_replay_clock_ns() - p.left_ns, 2 * MS);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pace");
	TCase *c = tcase_create("pace");
	SRunner *run;
	int failed;

	tcase_add_test(c, lateness_does_not_add_up);
	tcase_add_test(c, a_pause_is_kept);
	suite_add_tcase(s, c);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
