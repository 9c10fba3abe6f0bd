/*
 * A periodic timer goes on while all threads wait: the third time its handler sends what is waited for. Of a timer whose signal
 * stays blocked for ten periods, nine are counted. Nothing is to be found.
 */
/* options: --races=off */
/* flags: -lrt */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t count;
static pthread_t first;

static void
handler(int number)
{
	(void)number;
	if (++count == 3)
		pthread_kill(first, SIGUSR1);
}

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	struct itimerval often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
	struct itimerspec millisecond = {{0, 1000000}, {0, 1000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	struct sigaction action = {.sa_handler = handler};
	struct timespec periods = {0, 10500000};
	pthread_t thread;
	siginfo_t info;
	timer_t timer;
	sigset_t set;
	int number;

	first = pthread_self();
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sigwait(&set, &number);
	assert(number == SIGUSR1 && count >= 3);
	setitimer(ITIMER_REAL, &never, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &millisecond, NULL);
	while (nanosleep(&periods, &periods))
		;
	assert(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_overrun >= 9 && timer_getoverrun(timer) >= 9);
	return 0;
}
