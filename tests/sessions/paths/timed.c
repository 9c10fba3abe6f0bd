/* A wait with a time limit: that it may end by its limit is not searched for. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int full;

static void *
fill(void *unused)
{
	pthread_mutex_lock(&lock);
	full = 1;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	struct timespec limit = {.tv_sec = 4000000000};
	pthread_t thread;

	pthread_create(&thread, NULL, fill, NULL);
	pthread_mutex_lock(&lock);
	while (!full)
		if (pthread_cond_timedwait(&filled, &lock, &limit) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
