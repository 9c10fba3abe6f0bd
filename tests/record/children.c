/*
 * Children are not recorded: neither their accesses nor what handlers of fork do there.
 * counts: FORK 2 MUTEX_LOCK 2 ATOMIC_STORE 2 forked 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int x;

static void
in_child(void)
{
	for (int i = 0; i < 1000; i++)
		x = i;
}

int
main(void)
{
	pthread_atfork(NULL, NULL, in_child);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (int k = 0; k < 1000; k++) {
				pthread_mutex_lock(&mutex);
				pthread_mutex_unlock(&mutex);
			}
			return 7;
		}
		x = i;
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		waitpid(pid, NULL, 0);
	}
	return 0;
}
