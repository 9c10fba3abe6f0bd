#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}
static void *waits(void *unused)
{
	pthread_mutex_lock(&m); /* 11 */
	pthread_cleanup_push(unlock, &m);
	while (!ready)
		pthread_cond_wait(&changed, &m); /* 14 */
	pthread_cleanup_pop(1);
	return unused;
}
static void *tells(void *unused)
{
	pthread_mutex_lock(&m); /* 20 */
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
	return unused;
}
int main(int count, char **arguments)
{
	pthread_t a, b;
	(void)arguments;
	pthread_create(&a, 0, waits, 0);
	pthread_create(&b, 0, tells, 0);
	if (count > 1)
		pthread_cancel(a);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
