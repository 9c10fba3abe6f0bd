/*
 * A signal is pending for the process, because every thread blocks it. A new thread whose attributes unblock it takes it before
 * anything else; so does a thread when sigsuspend() restores its mask, and when siglongjmp() does. Nothing is to be found.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t taken[2];
static sigjmp_buf back;

static void
handler(int number)
{
	taken[number == SIGUSR2]++;
}

static void *
look(void *arg)
{
	assert(taken[0] == 1);
	return arg;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler};
	sigset_t one, none;
	pthread_attr_t attributes;
	pthread_t thread;

	sigemptyset(&none);
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
	kill(getpid(), SIGUSR1);
	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, &none);
	pthread_create(&thread, &attributes, look, NULL);
	pthread_join(thread, NULL);

	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (!sigsetjmp(back, 1)) {
		pthread_sigmask(SIG_BLOCK, &one, NULL);
		raise(SIGUSR1);
		assert(taken[0] == 1);
		siglongjmp(back, 1);
	}
	assert(taken[0] == 2);
	return 0;
}
