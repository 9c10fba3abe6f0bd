/*
 * Two semaphores of a set are taken one after the other, in two orders: one call of semop() for both would have been right.
 */
/* expect: deadlock: .*semaphore_set\[ */
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void
add(unsigned short number, short what)
{
	struct sembuf one = {number, what, 0};

	semop(set, &one, 1);
}

static void *
other(void *arg)
{
	add(1, -1);
	add(0, -1);
	add(0, 1);
	add(1, 1);
	return arg;
}

int
main(void)
{
	unsigned short free[] = {1, 1};
	pthread_t thread;

	set = semget(IPC_PRIVATE, 2, 0600);
	semctl(set, 0, SETALL, free);
	pthread_create(&thread, NULL, other, NULL);
	add(0, -1);
	add(1, -1);
	add(1, 1);
	add(0, 1);
	pthread_join(thread, NULL);
	semctl(set, 0, IPC_RMID);
	return 0;
}
