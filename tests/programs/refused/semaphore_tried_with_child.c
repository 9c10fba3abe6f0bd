/*
 * A forked child posts a named semaphore, and its parent tries to take it without waiting: no answer of the model would be right.
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
	sem_unlink("/sleave_semaphore_of_child");
	if (!fork()) {
		sem_post(s);
		_exit(0);
	}
	wait(NULL);
	return sem_trywait(s);
}
