/*
 * The signal is blocked only when there is a second thread already: that thread gets it, and
 * the program ends, unless the thread has ended before. clean/signalfd_loop.c is correct.
 */
/* expect: SIGTERM */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sem_t work;

static void *
worker(void *arg)
{
	sem_wait(&work);
	return arg;
}

int
main(void)
{
	struct signalfd_siginfo info;
	pthread_t thread;
	sigset_t set;
	int fd;

	sem_init(&work, 0, 0);
	pthread_create(&thread, NULL, worker, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	sem_post(&work);
	kill(getpid(), SIGTERM);
	assert(read(fd, &info, sizeof(info)) == sizeof(info));
	pthread_join(thread, NULL);
	return 0;
}
