/*
 * A semaphore that a child posts: Sleave does not see what a child does to it, so that is reported, and no deadlock.
 */
/* expect: not modelled: .*in memory that a child shares */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
other(void *arg)
{
	return arg;
}

int
main(void)
{
	sem_t *posted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, other, NULL);
	sem_init(posted, 1, 0);
	child = fork();
	if (!child) {
		sem_post(posted);
		_exit(0);
	}
	sem_wait(posted);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
