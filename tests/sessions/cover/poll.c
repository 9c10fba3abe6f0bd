#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *set(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int seen, waited = 0;
	(void)argv;
	pthread_create(&thread, 0, set, 0);
	do {
		pthread_mutex_lock(&m);
		seen = done;
		pthread_mutex_unlock(&m);
		waited |= !seen && argc > 1;
	} while (!seen);
	assert(!waited);
	pthread_join(thread, 0);
	return 0;
}
