/*
 * A child sends signals to its parent, which handles them: one that the engine itself takes for a fault, two that would end a
 * program, two that are queued. Each is taken before the end of its sender is seen. Nothing is to be found.
 */
/* options: --races=off */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count, sum;
static volatile pid_t from;

static void
handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	count++;
	sum += number == SIGRTMIN ? info->si_value.sival_int : number;
	from = info->si_pid;
}

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	static const int numbers[] = {SIGABRT, SIGUSR1, SIGTERM};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	pid_t child;
	pthread_t thread;
	int status;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	child = fork();
	if (!child) {
		for (int i = 0; i < 3; i++)
			kill(getppid(), numbers[i]);
		sigqueue(getppid(), SIGRTMIN, (union sigval){1000});
		sigqueue(getppid(), SIGRTMIN, (union sigval){2000});
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (count != 5 || sum != SIGABRT + SIGUSR1 + SIGTERM + 3000 || from != child)
		abort();
	return 0;
}
