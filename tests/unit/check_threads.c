/* check_threads.c - who of a replay's threads waits for whom */
#include "threads.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "optable.h"
#include "player.h"
#include "replay_players.h"

#define SLOT 5
#define HANDLE 77

static struct rsd_trace t;
static struct rsd_play play[3];
static struct rsd_replay r;
static bool finished, found; /* under the lock */
static _Atomic int nr_started;

struct rsd_constant rsd_constants[1];
const int rsd_nr_constants = 1;

void rsd_replay_say(const struct rsd_replay *replay, const char *fmt, ...)
{
	(void)replay;
	(void)fmt;
}

static struct rsd_play *find_play(int thread)
{
	return thread >= 0 && thread < 3 ? &play[thread] : NULL;
}

struct rsd_play *rsd_replay_find(const struct rsd_replay *replay, int thread)
{
	(void)replay;
	return find_play(thread);
}

static void arrange(void)
{
	ck_assert_int_eq(rsd_order_arrange(&r), 0);
}

/* What a thread does: nothing. */
static void *begin(void *arg)
{
	(void)arg;
	nr_started++;
	return NULL;
}

static void setup(void)
{
	memset(&t, 0, sizeof(t));
	memset(play, 0, sizeof(play));
	r = (struct rsd_replay){ .trace = &t };
	players_make(&r, play, 3);
	nr_started = 0;
	players_start(&r, begin);
	finished = found = false;
}

static void teardown(void)
{
	for (int i = 0; i < 3; i++)
		rsd_threads_release(&play[i]);
	for (int i = 1; i < 3; i++)
		rsd_threads_join(&play[i]);
	players_release(&r);
}

static void *find(void *arg)
{
	int64_t handle = 0;
	bool is = rsd_threads_find(arg, RSD_G_COMM, SLOT, &handle) && handle == HANDLE;

	pthread_mutex_lock(&r.lock);
	finished = true;
	found = is;
	pthread_mutex_unlock(&r.lock);
	return NULL;
}

static bool waits_or_is_done(const struct rsd_play *p)
{
	bool is;

	pthread_mutex_lock(&r.lock);
	is = finished || p->waits;
	pthread_mutex_unlock(&r.lock);
	return is;
}

/* Thread 2 looks for what the main thread makes next. */
static void find_what_main_makes(void)
{
	pthread_t id;

	ck_assert_int_eq(pthread_create(&id, NULL, find, &play[2]), 0);
	while (!waits_or_is_done(&play[2]))
		sched_yield();
	rsd_threads_set(&play[0], RSD_G_COMM, SLOT, HANDLE);
	pthread_join(id, NULL);
}

START_TEST(who_awaited_an_end_that_has_come_plays)
{
	play[0].nr_calls = play[1].order.until = 3;
	arrange();
	play[0].order.awaits_end = true;
	rsd_threads_ended(&play[1]);
	find_what_main_makes();
	ck_assert(found);
}
END_TEST

START_TEST(who_awaits_an_end_does_not)
{
	play[0].nr_calls = play[2].order.until = 3;
	arrange();
	play[0].order.awaits_end = true;
	rsd_threads_ended(&play[1]);
	find(&play[2]);
	ck_assert(!found);
}
END_TEST

START_TEST(who_looks_for_what_is_there_plays)
{
	rsd_threads_ended(&play[1]);
	play[0].waits = true;
	play[0].waits_group = RSD_G_COMM;
	play[0].waits_slot = SLOT + 1;
	rsd_threads_set(&play[2], RSD_G_COMM, SLOT + 1, HANDLE);
	find_what_main_makes();
	ck_assert(found);
}
END_TEST

static void await(struct rsd_play *p, int maker, int64_t request)
{
	p->waits = true;
	p->waits_maker = &play[maker];
	p->waits_request = request;
}

START_TEST(who_awaits_a_request_of_one_that_has_ended_plays)
{
	await(&play[0], 1, rsd_foreign(1, 0));
	rsd_threads_ended(&play[1]);
	find_what_main_makes();
	ck_assert(found);
}
END_TEST

START_TEST(who_awaits_a_request_of_one_that_plays_does_not)
{
	await(&play[0], 1, rsd_foreign(1, 0));
	await(&play[1], 0, rsd_foreign(0, 0));
	find(&play[2]);
	ck_assert(!found);
}
END_TEST

static struct {
	int maker;
	int64_t id;
	const struct rsd_live *request;
} wanted;

static void *await_request(void *arg)
{
	rsd_threads_await_request(arg, &play[wanted.maker], wanted.id);
	pthread_mutex_lock(&r.lock);
	finished = true;
	pthread_mutex_unlock(&r.lock);
	return NULL;
}

/* Thread 2 does, and waits by now, or has not got to. */
static pthread_t begin_to_await(int maker, int64_t id)
{
	pthread_t thread;

	wanted.maker = maker;
	wanted.id = id;
	ck_assert_int_eq(pthread_create(&thread, NULL, await_request, &play[2]), 0);
	while (!waits_or_is_done(&play[2]))
		sched_yield();
	return thread;
}

static void make_request(struct rsd_play *p)
{
	pthread_mutex_lock(&r.tables);
	p->requests.head++;
	pthread_mutex_unlock(&r.tables);
	rsd_threads_tell_of_request(p);
}

START_TEST(a_request_is_awaited_until_it_has_been_made)
{
	pthread_t thread = begin_to_await(0, rsd_foreign(0, 1));

	make_request(&play[0]);
	ck_assert(!finished);
	make_request(&play[0]);
	pthread_join(thread, NULL);
	ck_assert_int_eq(r.await_requests, 0);
	ck_assert(!play[2].waits && !play[2].waits_maker);
}
END_TEST

START_TEST(a_request_is_awaited_until_its_maker_has_ended)
{
	pthread_t thread = begin_to_await(1, rsd_foreign(1, 0));

	ck_assert(!finished);
	rsd_threads_ended(&play[1]);
	pthread_join(thread, NULL);
}
END_TEST

/* However the one's look and the other's making meet. */
START_TEST(no_request_is_missed)
{
	for (int64_t i = 0; i < 2000; i++) {
		pthread_t thread;

		wanted.maker = 0;
		wanted.id = rsd_foreign(0, (uint64_t)i);
		ck_assert_int_eq(pthread_create(&thread, NULL, await_request, &play[2]), 0);
		make_request(&play[0]);
		pthread_join(thread, NULL);
	}
}
END_TEST

/* The main thread waits for this one, too: none of them would go on. */
START_TEST(a_request_of_one_that_has_not_begun_is_awaited_while_others_play)
{
	pthread_t thread;

	play[1].order.waits = true;
	play[1].order.from = 5;
	r.nr_live = 0;
	for (int i = 0; i < 3; i += 2) {
		play[i].at_live = r.nr_live;
		r.live[r.nr_live++] = &play[i];
	}
	thread = begin_to_await(1, rsd_foreign(1, 0));
	ck_assert(!finished);
	pthread_mutex_lock(&r.lock);
	r.joining = true;
	pthread_cond_broadcast(&r.changed);
	pthread_mutex_unlock(&r.lock);
	pthread_join(thread, NULL);
}
END_TEST

static void *await_users(void *arg)
{
	rsd_threads_await_request_users(arg, wanted.request);
	pthread_mutex_lock(&r.lock);
	finished = true;
	pthread_mutex_unlock(&r.lock);
	return NULL;
}

START_TEST(who_ends_a_request_waits_for_its_users)
{
	struct rsd_live l = { .table = &play[2].requests, .live = true };
	int64_t handle;
	pthread_t thread;

	wanted.request = &l;
	rsd_request_hold(&l, false);
	ck_assert_int_eq(pthread_create(&thread, NULL, await_users, &play[2]), 0);
	pthread_mutex_lock(&r.lock);
	while (!play[2].waits_users && !finished)
		pthread_cond_wait(&r.changed, &r.lock);
	ck_assert(!finished);
	pthread_mutex_unlock(&r.lock);
	/* It is not the one that will make what these wait for. */
	rsd_threads_ended(&play[1]);
	ck_assert(!rsd_threads_find(&play[0], RSD_G_COMM, SLOT, &handle));
	pthread_mutex_lock(&r.tables);
	rsd_request_let_go(&l, false);
	pthread_mutex_unlock(&r.tables);
	rsd_threads_tell_of_request(&play[0]);
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(the_main_thread_does_not_wait_before_mpi_has_started)
{
	r.in_mpi = false;
	play[1].order.until = 0;
	arrange();
	rsd_order_before_call(&play[0]);
}
END_TEST

static void *begin_and_end(void *arg)
{
	nr_started++;
	rsd_threads_ended(arg);
	return NULL;
}

/* The second one is there only after the first one has ended. */
START_TEST(threads_begin_in_their_turn_and_are_joined)
{
	for (int i = 1; i < 3; i++) {
		rsd_threads_join(&play[i]);
		play[i].order = (struct rsd_order){ .waits = true };
	}
	play[1].order.from = 1;
	play[1].order.until = play[2].order.from = 2;
	play[2].order.until = 3;
	r.nr_live = 0;
	arrange();
	nr_started = 0;
	rsd_threads_start(&r, begin_and_end);
	ck_assert_uint_eq(r.nr_live, 1);
	rsd_order_after_calls(&play[0], 1);
	ck_assert(play[1].thread_runs && !play[2].thread_runs);
	rsd_order_before_call(&play[0]);
	ck_assert(play[1].thread_runs);
	rsd_order_after_calls(&play[0], 1);
	ck_assert(play[2].thread_runs);
	rsd_order_before_call(&play[0]);
	ck_assert(!play[1].thread_runs && play[2].thread_runs);
	rsd_order_after_calls(&play[0], 1);
	rsd_order_before_call(&play[0]);
	ck_assert_int_eq(nr_started, 2);
	ck_assert(!play[1].thread_runs && !play[2].thread_runs);
}
END_TEST

/* All use the slot. */
static void share(void)
{
	for (int i = 0; i < 3; i++) {
		struct rsd_slot_uses *u = &play[i].uses[RSD_G_COMM];

		u->range = calloc(1, sizeof(*u->range));
		u->range[0] = (struct rsd_slot_range){ SLOT, SLOT };
		u->nr = u->alloc = 1;
		play[i].knows_uses = true;
	}
}

START_TEST(nobody_waits_for_whose_turn_is_later)
{
	share();
	/* Both begin after the main thread's present call. */
	play[0].nr_calls = 3;
	play[1].order.from = play[2].order.from = 4;
	rsd_threads_await_users(&play[0], RSD_G_COMM, SLOT);
	/* And the main thread's next comes after the end of one of them, before the other begins. */
	play[0].nr_calls = play[1].order.until = 4;
	play[2].order.from = 5;
	rsd_threads_await_users(&play[1], RSD_G_COMM, SLOT);
}
END_TEST

START_TEST(threads_are_apart_where_the_trace_tells)
{
	play[0].nr_calls = 4;
	play[1].order.until = play[2].order.from = 4;
	ck_assert(!rsd_order_is_apart(&play[1], &play[2]));
	ck_assert(!rsd_order_is_apart(&play[0], &play[2]));
	ck_assert(rsd_order_is_apart(&play[1], &play[0]));
	play[2].order.from = 5;
	ck_assert(rsd_order_is_apart(&play[1], &play[2]));
	ck_assert(rsd_order_is_apart(&play[0], &play[2]));
	ck_assert(!rsd_order_is_apart(&play[2], &play[0]));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("threads");
	TCase *c = tcase_create("threads");
	SRunner *run;
	int failed;

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, who_awaited_an_end_that_has_come_plays);
	tcase_add_test(c, who_awaits_an_end_does_not);
	tcase_add_test(c, threads_begin_in_their_turn_and_are_joined);
	tcase_add_test(c, who_looks_for_what_is_there_plays);
	tcase_add_test(c, who_awaits_a_request_of_one_that_has_ended_plays);
	tcase_add_test(c, who_awaits_a_request_of_one_that_plays_does_not);
	tcase_add_test(c, a_request_is_awaited_until_it_has_been_made);
	tcase_add_test(c, a_request_is_awaited_until_its_maker_has_ended);
	tcase_add_test(c, no_request_is_missed);
	tcase_add_test(c, a_request_of_one_that_has_not_begun_is_awaited_while_others_play);
	tcase_add_test(c, who_ends_a_request_waits_for_its_users);
	tcase_add_test(c, the_main_thread_does_not_wait_before_mpi_has_started);
	tcase_add_test(c, nobody_waits_for_whose_turn_is_later);
	tcase_add_test(c, threads_are_apart_where_the_trace_tells);
	suite_add_tcase(s, c);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
