#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>

int
main(void)
{
	struct sembuf take = {0, -1, IPC_NOWAIT}, both[] = {{0, 1, 0}, {1, 1, 0}};
	int set = semget(IPC_PRIVATE, 2, 0600);

	semop(set, &take, 1);
	semop(set, both, 2);
	semop(set, &take, 1);
	abort();
}
