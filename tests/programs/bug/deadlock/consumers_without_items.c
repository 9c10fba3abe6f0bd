/*
 * Three consumers spin until there is an item, and a producer makes one too few. Each of them would take, and so write, what the others
 * look at, but that helps none of them: no cycle.
 */
/* expect: ^deadlock: T[123] take spins, and no thread is left that could change what it looks at$ */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int items, hurried;
static void *
take(void *arg)
{
	int n;

	do
		n = atomic_load(&items);
	while (n == 0 || !atomic_compare_exchange_strong(&items, &n, n - 1));
	return arg;
}
static void *
put(void *arg)
{
	atomic_fetch_add(&items, atomic_load(&hurried) ? 1 : 3);
	return arg;
}
static void *
hurry(void *arg)
{
	atomic_store(&hurried, 1);
	return arg;
}
int
main(void)
{
	pthread_t t[5];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, take, NULL);
	pthread_create(&t[3], NULL, put, NULL);
	pthread_create(&t[4], NULL, hurry, NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	return 0;
}
