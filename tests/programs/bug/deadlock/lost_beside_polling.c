/* A lost wake-up beside a thread that polls until a deadline, ten seconds away: it gives up in time, so the deadlock is seen. */
/* options: --strategy portfolio */
/* expect: lost wake-up */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, polls;

static void *waits(void *p)
{
	int seen;

	pthread_mutex_lock(&m);
	seen = ready;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	if (!seen) /* the flag may be set by now */
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return p;
}
static void *signals(void *p)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return p;
}
static void *looks(void *p)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		pthread_mutex_lock(&m);
		polls++;
		pthread_mutex_unlock(&m);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < start.tv_sec + 10);
	return p;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, waits, NULL);
	pthread_create(&t[1], NULL, signals, NULL);
	pthread_create(&t[2], NULL, looks, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
