/* A lost wake-up beside a thread that sleeps for a microsecond at a time until ten seconds have passed. */
/* options: --strategy dfs */
/* expect: lost wake-up */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long naps;

static void *waits(void *p)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m); /* the signal may have come before */
	pthread_mutex_unlock(&m);
	return p;
}
static void *dozes(void *p)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		usleep(1);
		naps++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < start.tv_sec + 10);
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, dozes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
