/*
 * A thread waits for a semaphore already when the child is forked that posts it.
 * Sleave does not see what the child does to it: that is reported, and no deadlock.
 */
/* expect: not modelled: .*in memory that a child shares */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
waits(void *posted)
{
	sem_wait(posted);
	return NULL;
}

int
main(void)
{
	sem_t *posted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;

	sem_init(posted, 1, 0);
	pthread_create(&thread, NULL, waits, posted);
	child = fork();
	if (!child) {
		sem_post(posted);
		_exit(0);
	}
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
