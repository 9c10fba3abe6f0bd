/*
 * bug/assertion/errno_in_handler.c, repaired: the handler restores errno. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t semaphore;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
handler(int signal)
{
	(void)signal;
	int saved = errno;

	close(-1);
	errno = saved;
}

static void *
work(void *arg)
{
	if (sem_trywait(&semaphore) != 0) {
		pthread_mutex_lock(&lock);
		assert(errno == EAGAIN);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	signal(SIGUSR1, handler);
	pthread_create(&thread, NULL, work, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
