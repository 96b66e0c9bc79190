#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "clock.h"

#define ONE (UINT64_C(1) << RSD_CLOCK_SHIFT)
#define MOST 1000000000 /* ns until it is measured again */
#define SHORT 1000000	/* ns that say nothing about whether counter and clock agree */
#define SLACK 256	/* they may differ by this part: the clock is slewed by 1/2000 at most */
#define GOOD 300	/* ns that a pair of readings may be apart */
#define TRIES 10
#define MOST_TRIES 1000 /* to read what another thread is just changing */

struct reading { /* of both, at one time */
	uint64_t ticks, ns;
	uint64_t apart; /* ticks between the counter's readings before and after the clock's */
};

struct rsd_clock rsd_clock = { .length = ONE, .due = UINT64_MAX };

static struct reading load, begin,
	last; /* when we were loaded, measuring began, it was last checked */
/* Exact readings: counter and clock at one time, and from which tick on to look at both again; changed while 'times' is odd. */
static struct {
	_Atomic unsigned times;
	_Atomic uint64_t ticks, ns, length, due;
} anchor;
static bool by_counter; /* exact readings are made of the counter's */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_bool disagreed;

static uint64_t to_ns(uint64_t ticks, uint64_t length)
{
	return (uint64_t)(__extension__(unsigned __int128) ticks * length >> RSD_CLOCK_SHIFT);
}

static struct reading read_both(void)
{
	struct reading r;
	uint64_t before = rsd_clock_counter();

	r.ns = rsd_clock_ns();
	r.ticks = rsd_clock_counter();
	r.apart = r.ticks - before;
	r.ticks -= r.apart / 2;
	return r;
}

/* Of a few readings the one that was disturbed least. */
static struct reading read_well(uint64_t length)
{
	struct reading best = read_both();

	for (int i = 1; i < TRIES && to_ns(best.apart, length) > GOOD; i++) {
		struct reading r = read_both();

		if (r.apart < best.apart)
			best = r;
	}
	return best;
}

/* ---- is there a counter that can be trusted? ------------------------------------------------ */

/* On some machines the kernel has found out that it can't. */
static bool kernel_distrusts(void)
{
	static const char *const others[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		O_RDONLY | O_CLOEXEC);
	char name[32];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (n <= 0)
		return false;
	name[n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(name, others[i]))
			return true;
	}
	return false;
}

static bool is_steady(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8) && !kernel_distrusts();
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

/* ---- measuring -------------------------------------------------------------------------------- */

void rsd_clock_load(void)
{
	if (!load.ns)
		load = read_well(ONE);
}

void rsd_clock_start(bool counter, bool exact)
{
	rsd_clock_load();
	begin = last = load;
	counter = counter && !RSD_RANKS_LOADED && is_steady();
	rsd_clock.exact = exact;
	rsd_clock.counter = counter && !exact;
	by_counter = counter && exact;
	atomic_store(&disagreed, false);
	atomic_store(&rsd_clock.length, ONE);
	atomic_store(&rsd_clock.due, rsd_clock.counter ? 0 : UINT64_MAX);
	atomic_store(&anchor.length, ONE);
	if (by_counter)
		rsd_clock_measure();
}

/* ns for each tick between two readings; 0: it can't be told. */
static uint64_t length_between(const struct reading *from, const struct reading *to)
{
	__extension__ unsigned __int128 length;

	if (to->ticks <= from->ticks || to->ns <= from->ns)
		return 0;
	length = ((__extension__(unsigned __int128)(to->ns - from->ns)) << RSD_CLOCK_SHIFT) /
		 (to->ticks - from->ticks);
	return length > UINT64_MAX ? 0 : (uint64_t)length;
}

/* Has the time since it was last checked gone by alike for both? */
static bool agree(const struct reading *now, uint64_t length)
{
	uint64_t ns = now->ns - last.ns, told, off;

	told = to_ns(now->ticks - last.ticks, length);
	off = told > ns ? told - ns : ns - told;
	/* A reading is as good as the time that it took. */
	return off <= ns / SLACK + to_ns(now->apart + last.apart, length) + GOOD;
}

/* One thread at a time; readers take what they find between two changes. */
static void set_anchor(const struct reading *now, uint64_t length, uint64_t due)
{
	unsigned times = atomic_load_explicit(&anchor.times, memory_order_relaxed);

	atomic_store_explicit(&anchor.times, times + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&anchor.ticks, now->ticks, memory_order_relaxed);
	atomic_store_explicit(&anchor.ns, now->ns, memory_order_relaxed);
	atomic_store_explicit(&anchor.length, length, memory_order_relaxed);
	atomic_store_explicit(&anchor.due, due, memory_order_relaxed);
	atomic_store_explicit(&anchor.times, times + 2, memory_order_release);
}

static void measure(void)
{
	uint64_t known = atomic_load_explicit(
			 by_counter ? &anchor.length : &rsd_clock.length, memory_order_relaxed),
		 length, wait, due;
	struct reading now = read_well(known);
	bool ripe = now.ns - last.ns >= SHORT, fresh = last.ns == begin.ns;

	if ((ripe && !fresh && !agree(&now, known)) || now.ticks < last.ticks) {
		atomic_store(&disagreed, true);
		begin = last = now;
	}
	length = length_between(&begin, &now);
	if (ripe)
		last = now;
	/* A short time measures badly, but at first there is nothing better. */
	if (!length || (begin.ns != load.ns && now.ns - begin.ns < SHORT))
		length = known;
	wait = now.ns - begin.ns;
	if (begin.ns != load.ns && wait < SHORT)
		wait = SHORT;
	if (wait > MOST)
		wait = MOST;
	due = now.ticks +
	      (uint64_t)((__extension__(unsigned __int128) wait << RSD_CLOCK_SHIFT) / length);
	if (by_counter) {
		set_anchor(&now, length, due);
		return;
	}
	atomic_store_explicit(&rsd_clock.length, length, memory_order_relaxed);
	atomic_store_explicit(&rsd_clock.due, due, memory_order_relaxed);
}

void rsd_clock_measure(void)
{
	/* A thread that finds another one at it goes by what there is. */
	if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		return;
	measure();
	atomic_flag_clear_explicit(&busy, memory_order_release);
}

/*
 * The clock is the sum of what was seen of both and what the counter says has passed since; a reading of before that counts
 * back. Between two looks it may be off by what the processor's counter and the clock differ in that time.
 */
uint64_t rsd_clock_exact(void)
{
	uint64_t ticks, ns, length, at;
	unsigned times;

	if (!by_counter)
		return rsd_clock_ns();
	ticks = rsd_clock_counter();
	if (ticks >= atomic_load_explicit(&anchor.due, memory_order_relaxed))
		rsd_clock_measure();
	for (int tries = 0; tries < MOST_TRIES; tries++) {
		times = atomic_load_explicit(&anchor.times, memory_order_acquire);
		at = atomic_load_explicit(&anchor.ticks, memory_order_relaxed);
		ns = atomic_load_explicit(&anchor.ns, memory_order_relaxed);
		length = atomic_load_explicit(&anchor.length, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (!(times & 1) &&
			times == atomic_load_explicit(&anchor.times, memory_order_relaxed))
			return ticks >= at ? ns + to_ns(ticks - at, length)
					   : ns - to_ns(at - ticks, length);
	}
	return rsd_clock_ns(); /* whoever changes it may be what a signal has interrupted */
}

bool rsd_clock_agrees(void)
{
	if (rsd_clock.counter || by_counter)
		rsd_clock_measure();
	return !atomic_load(&disagreed);
}
