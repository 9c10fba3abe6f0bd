/* A lock is not taken any more: what was under it is impacted. */
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level, uses;

static int
fill(int much)
{
	int sum;

	pthread_mutex_lock(&lock);
	level += much;
	uses++;
	sum = level;
	pthread_mutex_unlock(&lock);
	return sum;
}

int
main(void)
{
	return fill(2);
}
