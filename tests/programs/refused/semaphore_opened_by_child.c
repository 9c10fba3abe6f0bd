/*
 * A forked child opens a named semaphore by its name, which only the program has.
 */
/* expect: named semaphores that a child process uses, too */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	pthread_t thread;
	sem_t *s;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	s = sem_open("/sleave_semaphore_of_child", O_CREAT, 0600, 0);
	if (!fork()) {
		s = sem_open("/sleave_semaphore_of_child", 0);
		_exit(s == SEM_FAILED);
	}
	wait(NULL);
	return sem_unlink("/sleave_semaphore_of_child");
}
