/*
 * A thread reads signals with signalfd in an epoll loop, and ends the others on SIGTERM. The signal is blocked
 * before there is a second thread, so whichever thread it is sent to, it is read. The twin blocks it too late.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd, loop;

static void *
worker(void *arg)
{
	assert(!kill(getpid(), SIGTERM));
	return arg;
}

int
main(void)
{
	struct signalfd_siginfo info;
	struct epoll_event e = {.events = EPOLLIN};
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	loop = epoll_create1(EPOLL_CLOEXEC);
	assert(fd >= 0 && !epoll_ctl(loop, EPOLL_CTL_ADD, fd, &e));
	pthread_create(&thread, NULL, worker, NULL);
	assert(epoll_wait(loop, &e, 1, -1) == 1);
	assert(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGTERM);
	pthread_join(thread, NULL);
	return 0;
}
