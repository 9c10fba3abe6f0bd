/*
 * Waiting for the children of a process group: their numbers are Sleave's, the group's is the kernel's.
 */
/* expect: waitpid for a process group */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
worker(void *arg)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(-child, NULL, 0);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
