/* With DIVIDED a region is two. What is before it and what comes last have the contexts that they had: only the access between has not. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair {
	int first, second;
} pair;

void
both(void)
{
	int before;

	pthread_mutex_lock(&lock);
	before = pair.first;
#ifdef DIVIDED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	pair.second = before;
	before = pair.first;
	pthread_mutex_unlock(&lock);
}

static void *
run(void *unused)
{
	pthread_mutex_lock(&lock);
	pair.first = 1;
	pair.second = 2;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	both();
	pthread_join(thread, NULL);
	return 0;
}
