/*
 * A new thread initialises the semaphore that its creator tries to take: it may come too late.
 */
/* expect: ^misuse: main uses tokens, which was never initialised at .*semaphore_before_init.c: */
#include <pthread.h>
#include <semaphore.h>

static sem_t tokens;

static void *
work(void *unused)
{
	sem_init(&tokens, 0, 2);
	sem_wait(&tokens);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	sem_trywait(&tokens);
	pthread_join(thread, NULL);
	return 0;
}
