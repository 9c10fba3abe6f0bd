/*
 * Virtual time: sleeping costs nothing, clocks never go back and show at least the time slept.
 * Any thread may overtake a sleeper, and a sleeper may overtake any thread, as on a busy machine.
 */
#include "outcome.h"
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int x ALONE;
static int r1 ALONE, r2 ALONE;
static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;

static int64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---- which thread comes first ---- */

THREAD(sleeps_then_1) { sleep(1); atomic_store(&x, 1); }
THREAD(stores_2) { atomic_store(&x, 2); }
static void overtaken(void) { RUN(sleeps_then_1, stores_2); OUTCOME("%d", atomic_load(&x)); }

THREAD(sleeps_an_hour_then_2) { sleep(3600); atomic_store(&x, 2); }
static void overtakes(void) { RUN(sleeps_then_1, sleeps_an_hour_then_2); OUTCOME("%d", atomic_load(&x)); }

/* Between two stores of the other, too: 3 places. */
THREAD(store_sleep_store) { atomic_store(&x, 1); usleep(1000); atomic_store(&x, 2); }
THREAD(looks) { r1 = atomic_load(&x); }
static void in_between(void) { RUN(store_sleep_store, looks); OUTCOME("%d", r1); }

/* Sleeping with a lock keeps the others out. */
THREAD(sleeps_locked) { pthread_mutex_lock(&m); r1 = 1; sleep(10); r1 = 2; pthread_mutex_unlock(&m); }
THREAD(looks_locked) { pthread_mutex_lock(&m); r2 = r1; pthread_mutex_unlock(&m); }
static void sleeps_with_lock(void) { RUN(sleeps_locked, looks_locked); OUTCOME("%d", r2); }

/* ---- how late is it ---- */

#define SLEEPS(name, what, nanoseconds)                                                                      \
	THREAD(name##_sleeper)                                                                               \
	{                                                                                                    \
		int64_t before = monotonic();                                                                \
		struct timespec t = {0, 0};                                                                  \
		(void)t;                                                                                     \
		what;                                                                                        \
		r1 = monotonic() - before >= (nanoseconds);                                                  \
	}                                                                                                    \
	static void name(void) { RUN(name##_sleeper); OUTCOME("%d", r1); }
#define HOUR (3600 * INT64_C(1000000000))
SLEEPS(sleep_hour, sleep(3600), HOUR)
SLEEPS(usleep_half, usleep(500000), HOUR / 7200)
SLEEPS(nanosleep_hour, (t.tv_sec = 3600, nanosleep(&t, &t)), HOUR)
SLEEPS(clock_nanosleep_hour, (t.tv_sec = 3600, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL)), HOUR)
SLEEPS(clock_nanosleep_until,
       (clock_gettime(CLOCK_REALTIME, &t), t.tv_sec += 3600, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL)), HOUR)

/* The wall clock goes along. */
THREAD(walls)
{
	time_t t1 = time(NULL), t2;
	struct timeval v1, v2;

	gettimeofday(&v1, NULL);
	sleep(100);
	t2 = time(NULL);
	gettimeofday(&v2, NULL);
	r1 = t2 - t1 >= 100 && v2.tv_sec - v1.tv_sec >= 100 && v1.tv_sec >= t1 && v1.tv_sec < t2;
}
static void wall_clocks(void) { RUN(walls); OUTCOME("%d", r1); }

/* Three threads sleep and compare; under the lock, time never goes back from one to the next. */
static int64_t last ALONE;
static int back ALONE;
THREAD(compares)
{
	for (int i = 0; i < 2; i++) {
		usleep(self * 100);
		pthread_mutex_lock(&m);
		int64_t now = monotonic();

		back |= now < last;
		last = now;
		pthread_mutex_unlock(&m);
	}
}
static void never_back(void) { RUN(compares, compares); OUTCOME("%d", back); }

/* The same time in every execution, to the nanosecond: nothing of the real clock leaks in. */
static int64_t first_time ALONE;
THREAD(absolute) { r1 = monotonic() == first_time; sleep(5); r2 = (int)((monotonic() - first_time) / 1000000000); }
static int64_t *learnt;
__attribute__((no_sanitize("thread"), section(".text.unseen"))) static void learn(int64_t now) { *learnt = now; }
THREAD(tells_time) { learn(monotonic()); }
static void learn_time(void)
{
	(void)time(NULL);
	RUN(tells_time);
	OUTCOME("learnt");
}
static void same_every_time(void)
{
	time_t t = time(NULL);

	RUN(absolute, stores_2);
	OUTCOME("%d %d %d", r1, r2, (int)(time(NULL) - t) >= 5);
}

/* A loop that waits for a point in time reaches it. */
THREAD(until)
{
	int64_t end = monotonic() + HOUR;

	while (monotonic() < end)
		;
	r1 = monotonic() >= end;
}
static void loop_until(void) { RUN(until); OUTCOME("%d", r1); }

/* Wrong arguments are errors, at once. */
THREAD(wrong)
{
	struct timespec t = {0, 1000000000};

	r1 = nanosleep(&t, NULL) == -1 && errno == EINVAL;
	r2 = clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == EINVAL;
}
static void wrong_times(void) { RUN(wrong); OUTCOME("%d %d", r1, r2); }

int main(void)
{
	int64_t start = monotonic(), spent;

	learnt = mmap(NULL, sizeof(*learnt), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT_N(overtaken, 2, "1", "2");
	EXPECT_N(overtakes, 2, "1", "2");
	EXPECT_N(in_between, 3, "0", "1", "2");
	EXPECT_N(sleeps_with_lock, 2, "0", "2");
	EXPECT(sleep_hour, "1");
	EXPECT(usleep_half, "1");
	EXPECT(nanosleep_hour, "1");
	EXPECT(clock_nanosleep_hour, "1");
	EXPECT(clock_nanosleep_until, "1");
	EXPECT(wall_clocks, "1");
	EXPECT(never_back, "0");
	EXPECT(learn_time, "learnt");
	first_time = *learnt;
	EXPECT(same_every_time, "1 5 1");
	EXPECT(loop_until, "1");
	EXPECT(wrong_times, "1 1");
	spent = monotonic() - start;
	check(spent > 0 && spent < INT64_C(30000000000), "main", "all this took %d ms", (int)(spent / 1000000));
	return done();
}
