/*
 * A worker ends the whole process with _exit(4) while main waits for it.
 */
/* expect: status 4 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int turn;

static void *
work(void *arg)
{
	if (turn++ == 1)
		_exit(4);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	turn++;
	pthread_join(thread, NULL);
	return 0;
}
