/*
 * A place in a buffer and an item in it, each a semaphore of one set, are taken together with the lock of the buffer: nothing is
 * lost, and no thread waits for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

enum { LOCK, PLACES, ITEMS, SEMAPHORES };

static int set, buffer[2], count, sum;

static void
enter(unsigned short what)
{
	struct sembuf both[] = {{what, -1, 0}, {LOCK, -1, SEM_UNDO}};

	semop(set, both, 2);
}

static void
leave(unsigned short what)
{
	struct sembuf both[] = {{LOCK, 1, SEM_UNDO}, {what, 1, 0}};

	semop(set, both, 2);
}

static void *
produce(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		enter(PLACES);
		buffer[count++] = i;
		leave(ITEMS);
	}
	return arg;
}

int
main(void)
{
	unsigned short first[SEMAPHORES] = {1, 1, 0};
	pthread_t thread;

	set = semget(IPC_PRIVATE, SEMAPHORES, 0600);
	semctl(set, 0, SETALL, first);
	pthread_create(&thread, NULL, produce, NULL);
	for (int i = 0; i < 2; i++) {
		enter(ITEMS);
		sum += buffer[--count];
		leave(PLACES);
	}
	pthread_join(thread, NULL);
	assert(sum == 3 && count == 0);
	assert(semctl(set, LOCK, GETVAL) == 1);
	semctl(set, 0, IPC_RMID);
	return 0;
}
