/*
 * Two threads wait for each other's lock for ever, while a third counts: it takes a time limit to count once more.
 */
/* expect: deadlock */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
forwards(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *
backwards(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int beats;

static void *
beat(void *arg)
{
	struct timespec until;

	pthread_mutex_lock(&lock);
	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&never, &lock, &until);
		beats++;
	}
	return arg;
}

int
main(void)
{
	pthread_t one, other, third;

	pthread_create(&third, NULL, beat, NULL);
	pthread_create(&one, NULL, forwards, NULL);
	pthread_create(&other, NULL, backwards, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}
