/*
 * Two threads wait for each other's condition variable, if the second was there first. No signal was
 * lost, and in other executions each signals what the other waits for: a cycle, and no lost wake-up.
 */
/* expect: ^deadlock: T1 one waits at [a-z]+/conditions_of_each_other.c:23 for second, which T2 two signals at [a-z]+/conditions_of_each_other.c:36; T2 two waits at [a-z]+/conditions_of_each_other.c:34 for first, which T1 one signals at [a-z]+/conditions_of_each_other.c:25$ */
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t first = PTHREAD_COND_INITIALIZER, second = PTHREAD_COND_INITIALIZER;
static int is_first, is_second, came;
static void *
one(void *arg)
{
	pthread_mutex_lock(&lock);
	if (came++ == 0) {
		is_first = 1;
		pthread_cond_signal(&first);
	}
	pthread_mutex_unlock(&lock);

	pthread_mutex_lock(&lock);
	while (!is_second)
		pthread_cond_wait(&second, &lock);
	is_first = 1;
	pthread_cond_signal(&first);
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *
two(void *arg)
{
	pthread_mutex_lock(&lock);
	for (came++; !is_first;)
		pthread_cond_wait(&first, &lock);
	is_second = 1;
	pthread_cond_signal(&second);
	pthread_mutex_unlock(&lock);
	return arg;
}
int
main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
