/*
 * Another program is started while there is a named semaphore that it could open: it would not find the semaphore.
 */
/* expect: a named semaphore that another program could open */
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
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	sem_close(s);
	return sem_unlink("/sleave_semaphore_of_child");
}
