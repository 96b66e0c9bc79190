/* check_completion.c - a call's requests in a replay: which are there, and who waits for whom */
#include <check.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "optable.h"
#include "player.h"
#include "replay_players.h"
#include "threads.h"

enum { CANCEL, TEST, TESTALL, TESTANY, WAIT, WAITALL, WAITANY, WAITSOME };
enum { REQUEST, FLAG, INDEX, INDICES, NR_PARAMS };

static const struct rsd_param one[NR_PARAMS] = {
	[REQUEST] = { .name = "request", .type = RSD_T_INT },
	[FLAG] = { .name = "flag" },
	[INDEX] = { .name = "-" },
	[INDICES] = { .name = "-" },
};
static const struct rsd_param all[NR_PARAMS] = {
	[REQUEST] = { .name = "array_of_requests", .type = RSD_T_INTS },
	[FLAG] = { .name = "flag" },
	[INDEX] = { .name = "-" },
	[INDICES] = { .name = "-" },
};
static const struct rsd_param any[NR_PARAMS] = {
	[REQUEST] = { .name = "array_of_requests", .type = RSD_T_INTS },
	[FLAG] = { .name = "flag" },
	[INDEX] = { .name = "index" },
	[INDICES] = { .name = "-" },
};
static const struct rsd_param some[NR_PARAMS] = {
	[REQUEST] = { .name = "array_of_requests", .type = RSD_T_INTS },
	[FLAG] = { .name = "flag" },
	[INDEX] = { .name = "-" },
	[INDICES] = { .name = "array_of_indices" },
};

/* All have a flag here; that of those that have none is 1. */
const struct rsd_func rsd_funcs[] = {
	[CANCEL] = { .name = "MPI_Cancel", .param = one, .nr_params = NR_PARAMS },
	[TEST] = { .name = "MPI_Test", .param = one, .nr_params = NR_PARAMS },
	[TESTALL] = { .name = "MPI_Testall", .param = all, .nr_params = NR_PARAMS },
	[TESTANY] = { .name = "MPI_Testany", .param = any, .nr_params = NR_PARAMS },
	[WAIT] = { .name = "MPI_Wait", .param = one, .nr_params = NR_PARAMS },
	[WAITALL] = { .name = "MPI_Waitall", .param = all, .nr_params = NR_PARAMS },
	[WAITANY] = { .name = "MPI_Waitany", .param = any, .nr_params = NR_PARAMS },
	[WAITSOME] = { .name = "MPI_Waitsome", .param = some, .nr_params = NR_PARAMS },
	{ .name = NULL },
};
struct rsd_constant rsd_constants[1];
const int rsd_nr_constants = 1;

static struct rsd_replay r;
static struct rsd_play play[2];
static struct rsd_play_func func[2];
static struct rsd_arg arg[2][NR_PARAMS];
static sigjmp_buf skip[2];
static int nr_told;

void rsd_replay_say(const struct rsd_replay *replay, const char *fmt, ...)
{
	(void)replay;
	(void)fmt;
}

void rsd_report_skip(struct rsd_report *rep, const char *name, const char *why)
{
	(void)rep;
	(void)name;
	(void)why;
	nr_told++;
}

bool rsd_scout_counts(const struct rsd_func *f, const struct rsd_arg *a)
{
	(void)f;
	(void)a;
	return false;
}

struct rsd_play *rsd_replay_find(const struct rsd_replay *replay, int thread)
{
	return thread >= 0 && (size_t)thread < replay->nr_plays ? &play[thread] : NULL;
}

const struct rsd_arg *rsd_play_arg(const struct rsd_play *p, int place)
{
	return &p->arg[place];
}

const struct rsd_arg *rsd_play_named(const struct rsd_play *p, const char *name)
{
	int place = rsd_func_find_param(&rsd_funcs[p->f->func], name);

	return place < 0 ? NULL : &p->arg[place];
}

void rsd_play_give_up(struct rsd_play *p, const char *fmt, ...)
{
	(void)fmt;
	siglongjmp(*p->skip, 1);
}

static void *begin(void *arg_)
{
	return arg_;
}

static void setup(void)
{
	memset(play, 0, sizeof(play));
	memset(arg, 0, sizeof(arg));
	r = (struct rsd_replay){ 0 };
	players_make(&r, play, 2);
	for (int i = 0; i < 2; i++) {
		play[i].f = &func[i];
		play[i].arg = arg[i];
		play[i].skip = &skip[i];
	}
	players_start(&r, begin);
	nr_told = 0;
}

static void teardown(void)
{
	for (int i = 0; i < 2; i++) {
		rsd_threads_join(&play[i]);
		rsd_request_table_release(&play[i].requests);
		rsd_scratch_release(&play[i].scratch);
		rsd_threads_release(&play[i]);
	}
	players_release(&r);
}

static MPI_Request value(int i)
{
	return (MPI_Request)(intptr_t)(100 + i);
}

/* The first thread makes as many; the last one has distance 0, the first one number 0. */
static void make(int nr)
{
	for (int i = 0; i < nr; i++) {
		struct rsd_live *l = rsd_request_new(&play[0].requests);

		l->request = value(i);
		ck_assert_int_eq(rsd_request_made(&play[0].requests, l, -1), 0);
	}
}

static struct rsd_live *made(int i)
{
	return rsd_request_find(&play[0].requests, rsd_foreign(0, (uint64_t)i));
}

/* The thread's call, up to MPI; NULL: it gave up. */
static MPI_Request *call(int thread, int what, struct rsd_arg request, int flag, int64_t index)
{
	struct rsd_play *p = &play[thread];
	MPI_Request *q = NULL;

	func[thread].func = what;
	arg[thread][REQUEST] = request;
	arg[thread][FLAG] = (struct rsd_arg){ .head = flag };
	arg[thread][INDEX] = (struct rsd_arg){ .head = index };
	if (!sigsetjmp(skip[thread], 0))
		q = rsd_play_requests(p, REQUEST);
	else
		rsd_play_settle_requests(p);
	return q;
}

static struct rsd_arg single(int64_t id)
{
	return (struct rsd_arg){ .head = id };
}

static struct rsd_arg array(const int64_t *id, size_t nr)
{
	return (struct rsd_arg){ .head = (int64_t)nr, .v = id, .nr = nr };
}

/* After MPI. */
static void end(int thread)
{
	rsd_play_settle_requests(&play[thread]);
}

/* ---- several threads ---------------------------------------------------------------------- */

static _Atomic int waits_for;

/* The second thread ends what the first one has made. */
static void *end_first(void *unused)
{
	MPI_Request *q = call(1, WAIT, single(rsd_foreign(0, 0)), 1, 0);

	ck_assert_ptr_nonnull(q);
	waits_for = 0;
	*q = MPI_REQUEST_NULL;
	end(1);
	return unused;
}

static bool second_waits(void)
{
	bool is;

	pthread_mutex_lock(&r.lock);
	is = play[1].waits_users != NULL;
	pthread_mutex_unlock(&r.lock);
	return is;
}

START_TEST(an_end_waits_for_the_makers_own_call)
{
	pthread_t thread;

	make(1);
	waits_for = 1;
	ck_assert_ptr_nonnull(call(0, TEST, single(0), 0, 0));
	ck_assert_int_eq(pthread_create(&thread, NULL, end_first, NULL), 0);
	while (!second_waits() && waits_for)
		sched_yield();
	ck_assert_int_eq(waits_for, 1);
	ck_assert(made(0)->live);
	end(0);
	pthread_join(thread, NULL);
	ck_assert_ptr_null(made(0));
	ck_assert_int_eq(nr_told, 0);
}
END_TEST

START_TEST(what_asks_comes_too_late_while_it_is_being_ended)
{
	static const int64_t both[] = { 1, 0 };
	MPI_Request *q;

	make(2);
	ck_assert_ptr_nonnull(call(1, WAIT, single(rsd_foreign(0, 0)), 1, 0));
	ck_assert_ptr_null(call(0, TEST, single(1), 0, 0));
	q = call(0, TESTANY, array(both, 2), 1, 1);
	ck_assert_ptr_nonnull(q);
	ck_assert(q[0] == MPI_REQUEST_NULL && q[1] == value(1));
	end(0);
	/* The end may depend on it. */
	ck_assert_ptr_nonnull(call(0, CANCEL, single(1), 1, 0));
	end(0);
	ck_assert(!rsd_request_is_being_ended(made(1)) && rsd_request_is_being_ended(made(0)));
	end(1);
	ck_assert(!rsd_request_is_being_ended(made(0)));
	ck_assert_ptr_nonnull(call(0, TEST, single(1), 0, 0));
	end(0);
}
END_TEST

START_TEST(a_callbacks_call_does_not_wait_for_the_call_it_is_in)
{
	struct rsd_call_requests outer;

	make(1);
	ck_assert_ptr_nonnull(call(0, TEST, single(0), 0, 0));
	outer = play[0].requests.now;
	play[0].requests.now = (struct rsd_call_requests){ .outer = &outer };
	*call(0, WAIT, single(0), 1, 0) = MPI_REQUEST_NULL;
	end(0);
	free(play[0].requests.now.seen);
	play[0].requests.now = outer;
	end(0);
	ck_assert_ptr_null(made(0));
}
END_TEST

/* ---- requests that are not there ------------------------------------------------------------- */

static const int64_t absent_first[] = { RSD_ABSENT, 0 }, absent_only[] = { RSD_ABSENT };

START_TEST(a_completion_of_several_is_made_without_those_that_are_not_there)
{
	static const int of_all[] = { WAITALL, TESTALL };

	r.nr_plays = 1;
	for (int i = 0; i < 2; i++) {
		MPI_Request *q;

		make(1);
		q = call(0, of_all[i], array(absent_first, 2), 1, 0);
		ck_assert_ptr_nonnull(q);
		ck_assert(q[0] == MPI_REQUEST_NULL && q[1] == value(0));
		ck_assert_int_eq(nr_told, i + 1);
		q[1] = MPI_REQUEST_NULL;
		end(0);
		ck_assert_ptr_null(rsd_request_find(&play[0].requests, 0));
		ck_assert_ptr_null(call(0, of_all[i], array(absent_only, 1), 1, 0));
	}
	r.nr_plays = 2;
}
END_TEST

START_TEST(it_is_left_out_where_all_that_it_ended_is_not_there)
{
	static const int64_t first[] = { 0 }, second[] = { 1 }, both[] = { 0, 1 };

	r.nr_plays = 1;
	make(1);
	ck_assert_ptr_null(call(0, WAIT, single(RSD_ABSENT), 1, 0));
	ck_assert_ptr_null(call(0, TEST, single(RSD_ABSENT), 0, 0));
	ck_assert_ptr_null(call(0, WAITANY, array(absent_first, 2), 1, 0));
	ck_assert_ptr_nonnull(call(0, WAITANY, array(absent_first, 2), 1, 1));
	end(0);
	ck_assert_ptr_null(call(0, TESTANY, array(absent_only, 1), 0, MPI_UNDEFINED));
	ck_assert_ptr_nonnull(call(0, TESTANY, array(absent_first, 2), 0, MPI_UNDEFINED));
	end(0);
	arg[0][INDICES] = array(first, 1);
	ck_assert_ptr_null(call(0, WAITSOME, array(absent_first, 2), 1, 0));
	arg[0][INDICES] = array(second, 1);
	ck_assert_ptr_nonnull(call(0, WAITSOME, array(absent_first, 2), 1, 0));
	end(0);
	arg[0][INDICES] = array(both, 2);
	ck_assert_ptr_nonnull(call(0, WAITSOME, array(absent_first, 2), 1, 0));
	end(0);
	r.nr_plays = 2;
}
END_TEST

int main(void)
{
	Suite *s = suite_create("completion");
	TCase *c = tcase_create("completion");
	SRunner *run = srunner_create(s);
	int failed;

	suite_add_tcase(s, c);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, an_end_waits_for_the_makers_own_call);
	tcase_add_test(c, what_asks_comes_too_late_while_it_is_being_ended);
	tcase_add_test(c, a_callbacks_call_does_not_wait_for_the_call_it_is_in);
	tcase_add_test(c, a_completion_of_several_is_made_without_those_that_are_not_there);
	tcase_add_test(c, it_is_left_out_where_all_that_it_ended_is_not_there);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
