#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int here[2], done[2];
long counts[2];
static void *
first(void *arg)
{
	atomic_store(&here[0], 1);
	while (!atomic_load(&done[0]))
		counts[0]++;
	return arg;
}
static void *
second(void *arg)
{
	atomic_store(&here[1], 1);
	while (!atomic_load(&done[1]))
		counts[1]++;
	return arg;
}
static void *
set(void *arg)
{
	for (int i = 0; i < 2; i++)
		if (atomic_load(&here[i]))
			atomic_store(&done[i], 1);
	return arg;
}
int
main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, set, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
