/*
 * Clocks only go forwards, a sleep takes at least its time, and a loop that waits for a moment reaches it.
 * Processor time comes from the same clock, so that two executions of one schedule agree. Nothing is to be found.
 */
/* options: --schedules 2000 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *
work(void *arg)
{
	double start = now();
	time_t begun = time(NULL);

	sleep(60);
	assert(now() - start >= 60 && time(NULL) - begun >= 59);
	done = 1;
	return arg;
}

int
main(void)
{
	struct timespec nap = {0, 1000};
	struct timeval t;
	pthread_t thread;
	double start = now();

	pthread_create(&thread, NULL, work, NULL);
	while (now() < start + 5)
		;
	while (!done)
		nanosleep(&nap, NULL);
	gettimeofday(&t, NULL);
	assert(t.tv_sec >= 60 && now() >= start + 60);
	pthread_join(thread, NULL);

	struct rusage used;
	struct tms parts;
	clock_t ticks = times(&parts);

	getrusage(RUSAGE_SELF, &used);
	volatile long noted = used.ru_utime.tv_usec; /* compared, for --check-determinism */
	assert(used.ru_utime.tv_sec >= 60 && noted < 1000000 && ticks >= 6000 && parts.tms_utime == ticks);
	assert(getrusage(RUSAGE_CHILDREN, &used) == 0 && used.ru_utime.tv_sec == 0);
	return 0;
}
