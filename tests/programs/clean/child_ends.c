/*
 * A handler of SIGCHLD collects children while another thread works. It is blocked while the parent notes the child's
 * number, so the handler always knows it. The twin does not block it.
 */
/* options: --schedules 300 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int known, collected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void
collect(int n)
{
	int status;
	pid_t child = waitpid(-1, &status, WNOHANG);

	(void)n;
	if (child <= 0)
		return;
	assert(child == known && WEXITSTATUS(status) == 3);
	collected = 1;
}

static void *
worker(void *arg)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = collect};
	sigset_t set, before;
	pthread_t thread;
	pid_t child;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	pthread_create(&thread, NULL, worker, NULL);
	child = fork();
	if (child == 0)
		_exit(3);
	known = child;
	worker(NULL);
	while (!collected)
		sigsuspend(&before);
	pthread_join(thread, NULL);
	assert(shared == 2);
	return 0;
}
