/* main joins a thread that waits for what main sets after the join; that main has written the flag before (0) is no help. */
/* expect: ^deadlock: main waits at [a-z]+/flag_set_after_join.c:28 for T1 wait_for_it to end; T1 wait_for_it waits at [a-z]+/flag_set_after_join.c:10 for stop, which main sets at [a-z]+/flag_set_after_join.c:29$ */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
static atomic_int stop, early;
static void *
wait_for_it(void *arg)
{ while (!atomic_load(&stop)) usleep(1000);
	return arg;
}
static void *
come(void *arg)
{
	atomic_store(&early, 1);
	return arg;
}
int
main(void)
{
	pthread_t t[2];

	atomic_store(&stop, 0);
	pthread_create(&t[0], NULL, wait_for_it, NULL);
	pthread_create(&t[1], NULL, come, NULL);
	if (atomic_load(&early)) atomic_store(&stop, 1);
	pthread_join(t[0], NULL);
	atomic_store(&stop, 1);
	pthread_join(t[1], NULL);
	return 0;
}
