/*
 * Two locks in opposite orders, by the symbol versions of programs that were linked with an old glibc.
 */
/* expect: wait for each other */
#include <pthread.h>

int old_lock(pthread_mutex_t *mutex);
int old_unlock(pthread_mutex_t *mutex);
__asm__(".symver old_lock, __pthread_mutex_lock@GLIBC_2.2.5");
__asm__(".symver old_unlock, __pthread_mutex_unlock@GLIBC_2.2.5");

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
worker(void *arg)
{
	old_lock(&a);
	old_lock(&b);
	old_unlock(&b);
	old_unlock(&a);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	old_lock(&b);
	old_lock(&a);
	old_unlock(&a);
	old_unlock(&b);
	pthread_join(thread, NULL);
	return 0;
}
