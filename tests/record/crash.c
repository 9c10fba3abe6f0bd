/*
 * Ends in the middle, by a signal that is its argument: nothing of what was done before is lost.
 * counts: ATOMIC_STORE 100000 EXIT 0
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x;

static void *
run(void *signal)
{
	for (int i = 0; i < 100000; i++)
		x = i;
	if ((long)signal == SIGSEGV)
		*(volatile int *)8 = 1;
	raise((int)(long)signal);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, (void *)atol(argv[argc - 1]));
	pthread_join(thread, NULL);
	return 0;
}
