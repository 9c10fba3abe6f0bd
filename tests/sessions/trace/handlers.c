#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { ROUNDS = 120 };
static int there[ROUNDS], back[ROUNDS], at, wrong, value, plain;
static sem_t ready, done;
static pthread_t other;
static pid_t tid;
#define CHECK(c) do { if (!(c)) wrong = wrong ? wrong : __LINE__; } while (0)
static void handler(int n) { (void)n; int i = at; back[i] = there[i]; sem_post(&done); }
static void informed(int n, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(n == info->si_signo && info->si_code == SI_QUEUE);
	value = info->si_value.sival_int;
	handler(n);
}
static void once(int n) { plain += n; errno = E2BIG; }
static void *waiter(void *arg)
{
	tid = gettid();
	sem_post(&ready);
	for (;;)
		pause();
	return arg;
}
static void ask(int n, void (*wanted)(int))
{
	struct sigaction now;
	CHECK(!sigaction(n, NULL, &now) && now.sa_handler == wanted);
}
int main(void)
{
	struct sigaction action, old;
	sigset_t set;
	pid_t child;
	int status;
	sem_init(&ready, 0, 0);
	sem_init(&done, 0, 0);
	CHECK(signal(SIGUSR1, handler) == SIG_DFL);
	CHECK(signal(SIGUSR1, handler) == handler);
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = informed;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaddset(&action.sa_mask, SIGHUP);
	CHECK(!sigaction(SIGUSR2, &action, &old) && old.sa_handler == SIG_DFL);
	CHECK(!sigaction(SIGUSR2, &action, &old) && old.sa_sigaction == informed && old.sa_flags & SA_SIGINFO &&
	      sigismember(&old.sa_mask, SIGHUP));
	action.sa_flags = SA_RESETHAND;
	action.sa_handler = once;
	sigaction(SIGALRM, &action, NULL);
	errno = 0;
	raise(SIGALRM);
	CHECK(plain == SIGALRM && errno == E2BIG);
	ask(SIGALRM, SIG_DFL);
	CHECK(signal(SIGHUP, SIG_IGN) == SIG_DFL && signal(SIGHUP, SIG_DFL) == SIG_IGN);
	CHECK(signal(SIGKILL, once) == SIG_ERR && errno == EINVAL);
	CHECK(sysv_signal(SIGTERM, once) == SIG_DFL && sigset(SIGTERM, once) == once);
	siginterrupt(SIGTERM, 1);
	ask(SIGTERM, once);
	child = fork();
	if (!child) {
		plain = 0;
		ask(SIGTERM, once);
		CHECK(signal(SIGTERM, handler) == once && signal(SIGTERM, once) == handler);
		raise(SIGTERM);
		CHECK(plain == SIGTERM);
		_exit(wrong != 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	pthread_create(&other, NULL, waiter, NULL);
	sem_wait(&ready);
	sigfillset(&set); /* so that the other thread gets what the process gets */
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		at = i;
		there[i] = i;
		switch (i % 5) {
		case 0: pthread_kill(other, SIGUSR1); break;
		case 1: kill(getpid(), SIGUSR1); break;
		case 2: sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = i}); break;
		case 3: tgkill(getpid(), tid, SIGUSR1); break;
		case 4: pthread_sigqueue(other, SIGUSR2, (union sigval){.sival_int = i}); break;
		}
		while (sem_wait(&done))
			;
		CHECK(back[i] == i && (i % 5 != 2 && i % 5 != 4 ? 1 : value == i));
	}
	pthread_cancel(other);
	pthread_join(other, NULL);
	if (wrong)
		fprintf(stderr, "handlers.c:%d: not true\n", wrong);
	return wrong != 0;
}
