/*
 * bug/crash/trap.c, repaired: the intermediate state is handled. Nothing is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void *
work(void *arg)
{
	state = 1;
	state = 2;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	switch (atomic_load(&state)) {
	case 0:
	case 1:
	case 2:
		break;
	default:
		__builtin_trap();
	}
	pthread_join(thread, NULL);
	return 0;
}
