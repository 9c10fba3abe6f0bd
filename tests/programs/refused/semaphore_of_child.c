/*
 * A forked child posts a named semaphore that its parent waits for. The child's semaphore is the kernel's, the parent's is
 * modelled: that the parent would wait for ever is no deadlock: it is refused by name as soon as the child has used it.
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
	sem_wait(s);
	wait(NULL);
	return 0;
}
