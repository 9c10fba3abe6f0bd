/*
 * A semaphore in named shared memory, which the parent maps after it has forked the child: the child has it, too.
 */
/* expect: not modelled: .*in memory that a child shares */
/* flags: -lrt */
#include <fcntl.h>
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
	int memory = shm_open("/sleave_mapped_beside", O_CREAT | O_RDWR, 0600);
	sem_t *posted;
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, other, NULL);
	shm_unlink("/sleave_mapped_beside");
	if (ftruncate(memory, 4096))
		return 1;
	child = fork();
	posted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (!child) {
		sem_init(posted, 1, 0);
		sem_post(posted);
		_exit(0);
	}
	sem_wait(posted);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
