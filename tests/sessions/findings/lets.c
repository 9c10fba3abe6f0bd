#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *by;
static _Atomic unsigned word, other;
static int set, done;

static void
let(void)
{
	struct sembuf moves[] = {{1, -1, IPC_NOWAIT}, {0, 1, 0}};

	if (!strcmp(by, "value"))
		semctl(set, 0, SETVAL, 1);
	else if (!strcmp(by, "move"))
		semop(set, moves, 2);
	else
		syscall(SYS_futex, &other, FUTEX_WAKE_OP_PRIVATE, 1, 1ul, &word,
			FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0));
}

static void *
await(void *arg)
{
	struct sembuf take = {0, -1, 0};

	pthread_mutex_lock(&lock);
	if (strcmp(by, "wake"))
		semop(set, &take, 1);
	else if (!done)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	by = argv[argc - 1];
	set = semget(IPC_PRIVATE, 2, 0600);
	semctl(set, 1, SETVAL, 1);
	pthread_create(&thread, NULL, await, NULL);
	pthread_mutex_lock(&lock);
	done = 1;
	let();
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
