/* A loop around a wait becomes a condition: the region is impacted, with the condition variable. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int level;

static int
take(void)
{
	pthread_mutex_lock(&lock);
	while (level == 0)
		pthread_cond_wait(&filled, &lock);
	level--;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void
put(void)
{
	pthread_mutex_lock(&lock);
	level++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

int
main(void)
{
	put();
	return take();
}
