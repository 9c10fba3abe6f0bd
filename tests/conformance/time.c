/* Clocks and sleeping. */
#include "conformance.h"
#include <signal.h>
#include <sys/time.h>

static const struct {
	const char *name;
	struct timespec time;
} sleeps[] = {
	{"nothing", {0, 0}},	      {"short", {0, 1000}},		  {"negative", {-1, 0}},
	{"nsec_negative", {0, -1}},   {"nsec_too_big", {0, 1000000000}}, {"nsec_most", {0, 2000000}},
	{"sec_and_bad_nsec", {1, -1}},
};
#define SLEEPS (sizeof(sleeps) / sizeof(*sleeps))

CASE(nanosleeps)
{
	for (unsigned i = 0; i < SLEEPS; i++) {
		struct timespec rest = {77, 77};

		begin("nanosleep.%s", sleeps[i].name);
		errno_of(nanosleep(&sleeps[i].time, &rest));
		value(rest.tv_sec); /* left alone */
	}
}

CASE(clock_nanosleeps)
{
	static const struct clock_row sleeping[] = {
		{"realtime", CLOCK_REALTIME},	 {"monotonic", CLOCK_MONOTONIC}, {"boottime", CLOCK_BOOTTIME},
		{"thread_cpu", CLOCK_THREAD_CPUTIME_ID}, {"none", 12345}, {"tai", CLOCK_TAI},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW}, {"realtime_coarse", CLOCK_REALTIME_COARSE},
	};

	for (unsigned c = 0; c < sizeof(sleeping) / sizeof(*sleeping); c++) {
		for (unsigned i = 0; i < SLEEPS; i++) {
			begin("clock_nanosleep.%s.%s", sleeping[c].name, sleeps[i].name);
			returns(clock_nanosleep(sleeping[c].clock, 0, &sleeps[i].time, NULL));
		}
		for (unsigned i = 0; i < LIMITS; i++) {
			begin("clock_nanosleep.until.%s.%s", sleeping[c].name, limits[i].name);
			returns(clock_nanosleep(sleeping[c].clock, TIMER_ABSTIME, &limits[i].time, NULL));
		}
	}
}

CASE(sleeps_of_seconds)
{
	value(sleep(0));
	errno_of(usleep(0));
	errno_of(usleep(100));
	errno_of(usleep(2000));
}

static const clockid_t known[] = {
	CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
	CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI, 77, 12345,
};

CASE(gettime)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct timespec a = {-1, -1}, b = {-1, -1};

		begin("clock_gettime.%d", (int)known[i]);
		errno_of(clock_gettime(known[i], &a));
		errno_of(clock_gettime(known[i], &b));
		value(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
		value(a.tv_nsec >= -1 && a.tv_nsec < 1000000000);
	}
}

CASE(getres)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct timespec a = {-1, -1};

		begin("clock_getres.%d", (int)known[i]);
		errno_of(clock_getres(known[i], &a));
		errno_of(clock_getres(known[i], NULL));
	}
}

/* Clock numbers below zero are processor times: a kind in two bits, a bit for threads, above them the negated id. */
CASE(processor_clocks)
{
	for (int clock = -1; clock >= -16; clock--) {
		struct timespec t;

		begin("processor_clock.%d", clock);
		errno_of(clock_gettime(clock, &t));
		errno_of(clock_getres(clock, NULL));
	}
}

static int
own_clock(void *at)
{
	struct timespec t;

	return pthread_getcpuclockid(pthread_self(), at) ? -1 : clock_gettime(*(clockid_t *)at, &t);
}

CASE(clock_ids)
{
	clockid_t process = 77, thread = 77;
	struct timespec t;

	returns(clock_getcpuclockid(0, &process));
	errno_of(clock_gettime(process, &t));
	returns(clock_getcpuclockid(getpid(), &process));
	errno_of(clock_gettime(process, &t));
	returns(clock_getcpuclockid(4194304 + 5, &process));
	returns(pthread_getcpuclockid(pthread_self(), &thread));
	errno_of(clock_gettime(thread, &t));
	errno_of(clock_getres(thread, &t));
	value(t.tv_nsec);
	value(other(own_clock, &thread)); /* whether its clock still exists after the join is up to the kernel */
}

CASE(timers_of_clocks)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		timer_t timer;
		struct sigevent none;

		memset(&none, 0, sizeof(none));
		none.sigev_notify = SIGEV_NONE;
		if (known[i] == CLOCK_PROCESS_CPUTIME_ID || known[i] == CLOCK_THREAD_CPUTIME_ID || known[i] == CLOCK_TAI)
			continue; /* refused by name */
		begin("timer_create.%d", (int)known[i]);
		errno_of(timer_create(known[i], &none, &timer));
	}
	begin("timer_create.negative");
	errno_of(timer_create(-1, NULL, NULL));
}

static long long
nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A sleep takes at least its time, on every clock that counts it. */
CASE(sleep_takes_time)
{
	static const clockid_t counting[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI};
	struct timespec two = {0, 2000000};

	for (unsigned i = 0; i < 4; i++) {
		long long before = nanoseconds(counting[i]);

		begin("sleep_takes_time.%d", (int)counting[i]);
		errno_of(nanosleep(&two, NULL));
		value(nanoseconds(counting[i]) - before >= 2000000);
	}
}

CASE(sleep_until)
{
	static const clockid_t counting[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};

	for (unsigned i = 0; i < 2; i++) {
		long long until = nanoseconds(counting[i]) + 2000000;
		struct timespec t = {until / 1000000000, until % 1000000000};

		begin("sleep_until.%d", (int)counting[i]);
		returns(clock_nanosleep(counting[i], TIMER_ABSTIME, &t, NULL));
		value(nanoseconds(counting[i]) >= until);
	}
}

CASE(clocks_agree)
{
	struct timeval tv;
	struct timespec ts, now;
	time_t t, again;

	clock_gettime(CLOCK_REALTIME, &now);
	t = time(&again);
	value(t == again);
	value(t >= now.tv_sec - 1 && t <= now.tv_sec + 100);
	errno_of(gettimeofday(&tv, NULL));
	value(tv.tv_sec >= now.tv_sec && tv.tv_sec <= now.tv_sec + 100);
	value(tv.tv_usec >= 0 && tv.tv_usec < 1000000);
	value(timespec_get(&ts, TIME_UTC));
	value(ts.tv_sec >= now.tv_sec && ts.tv_sec <= now.tv_sec + 100);
	value(timespec_get(&ts, 0));
	value(timespec_get(&ts, 77));
	value(time(NULL) >= t);
	value(clock() != (clock_t)-1);
}

CASE(cpu_clock_of_process)
{
	struct timespec t;
	clockid_t clock;

	returns(clock_getcpuclockid(0, &clock));
	errno_of(clock_gettime(clock, &t));
}

static int
sleep_in_thread(void *unused)
{
	struct timespec t = {0, 1000000};
	long long before = nanoseconds(CLOCK_MONOTONIC);

	(void)unused;
	if (nanosleep(&t, NULL))
		return -1;
	return nanoseconds(CLOCK_MONOTONIC) - before >= 1000000;
}

CASE(sleep_in_threads)
{
	value(other(sleep_in_thread, NULL));
	value(other(sleep_in_thread, NULL));
}
