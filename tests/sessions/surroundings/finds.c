#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1};
	pthread_t thread;
	sigset_t mask;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction action;

		sigaction(signals[i], NULL, &action);
		assert(action.sa_handler == SIG_DFL && !sigismember(&mask, signals[i]));
	}
	return 0;
}
