#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int before, after;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *how)
{
	before = 1;
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "killed") && system("kill -9 $PPID"))
		return how;
	if (!strcmp(how, "deadlock")) {
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&a);
	}
	after = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, argv[argc - 1]);
	pthread_join(thread, NULL);
	return 0;
}
