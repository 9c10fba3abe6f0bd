/*
 * A child process posts a set of semaphores of the program's.
 */
/* expect: sets of semaphores that a child process uses, too */
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	struct sembuf post = {0, 1, 0};
	int set = semget(IPC_PRIVATE, 1, 0600);
	pid_t child = fork();

	if (!child) {
		semop(set, &post, 1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	semctl(set, 0, IPC_RMID);
	return 0;
}
