/*
 * Two threads spin until the other has set its flag, and each sets its own only then, if a third
 * thread was in between. Other executions show which thread sets each flag, so this is reported
 * as a cycle; what a thread sets in a branch that it has not taken (line 16) is not part of it.
 */
/* expect: ^deadlock: T1 first waits at [a-z]+/flags_of_each_other.c:17 for ready_second, which T2 second sets at [a-z]+/flags_of_each_other.c:27; T2 second waits at [a-z]+/flags_of_each_other.c:25 for ready_first, which T1 first sets at [a-z]+/flags_of_each_other.c:19$ */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int ready_first, ready_second, started;

static void *
first(void *arg)
{
	if (atomic_load(&started))
		atomic_store(&ready_first, 1);
	while (!atomic_load(&ready_second))
		;
	atomic_store(&ready_first, 1);
	return arg;
}
static void *
second(void *arg)
{ if (!atomic_load(&started)) atomic_store(&ready_second, 1);
	while (!atomic_load(&ready_first))
		;
	atomic_store(&ready_second, 1);
	return arg;
}
static void *
start(void *arg)
{
	atomic_store(&started, 1);
	return arg;
}
int
main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, start, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
