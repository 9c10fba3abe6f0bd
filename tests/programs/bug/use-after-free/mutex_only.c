/*
 * The memory of a mutex is freed without waiting for the only thread that uses it: neither is data, and one thread alone
 * locks, but the order of the two matters.
 */
/* expect: ^use after free: T1 work .* locks what is there, at the start of a block of 40 bytes, freed by main */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;

static void *
work(void *unused)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	lock = malloc(sizeof(*lock));
	pthread_mutex_init(lock, NULL);
	pthread_create(&thread, NULL, work, NULL);
	free(lock);
	pthread_join(thread, NULL);
	return 0;
}
