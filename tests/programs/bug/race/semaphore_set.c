/*
 * A set of semaphores is posted before the variable is written that it announces: the other thread may read it meanwhile.
 */
/* expect: data race.*value */
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;
int value;

static void *
other(void *arg)
{
	struct sembuf wait = {0, -1, 0};

	semop(set, &wait, 1);
	return value ? arg : NULL;
}

int
main(void)
{
	struct sembuf post = {0, 1, 0};
	pthread_t thread;

	set = semget(IPC_PRIVATE, 1, 0600);
	pthread_create(&thread, NULL, other, NULL);
	semop(set, &post, 1);
	value = 1;
	pthread_join(thread, NULL);
	semctl(set, 0, IPC_RMID);
	return 0;
}
