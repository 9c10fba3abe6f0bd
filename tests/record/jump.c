/*
 * A handler leaves by a long jump, out of the middle of whatever was written: the lane stays whole.
 * counts: START 2 END 1 JOIN 1 MUTEX_LOCK 1 MUTEX_UNLOCK 1 SEM_POST 200
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile int x;
static sem_t ready;

static void
handler(int signal)
{
	x = signal;
	siglongjmp(back, 1);
}

static void *
run(void *unused)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (volatile int jumps = 0; jumps < 200; jumps++)
		if (!sigsetjmp(back, 1)) {
			sem_post(&ready);
			for (;; sched_yield())
				for (int i = 0; i < 50; i++)
					x++;
		}
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	signal(SIGUSR1, handler);
	pthread_create(&thread, NULL, run, NULL);
	for (int i = 0; i < 200; i++) {
		sem_wait(&ready);
		pthread_kill(thread, SIGUSR1);
	}
	pthread_join(thread, NULL);
	return 0;
}
