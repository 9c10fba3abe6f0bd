#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
static void handle(int number) { (void)number; }
int main(void)
{
	pthread_t t;
	pid_t child;
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	signal(SIGRTMIN + 2, handle);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	kill(child, SIGRTMIN + 1);
	wait(NULL);
	kill(getpid(), SIGRTMIN + 2);
	abort();
}
