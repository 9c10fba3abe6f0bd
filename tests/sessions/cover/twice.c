#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t t;
	struct timespec limit;
	pthread_create(&t, 0, one, 0);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_mutex_lock(&m);
	while (!ready)
#ifdef TIMED
		pthread_cond_timedwait(&c, &m, &limit);
#else
		pthread_cond_wait(&c, &m);
#endif
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
