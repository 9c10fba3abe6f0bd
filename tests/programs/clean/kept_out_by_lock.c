/* A thread that locks and unlocks for ever lets a late sleeper wake up that ends it; a third thread sends it signals. */
/* options: --races=off --strategy dfs --schedules 20 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static volatile int go_on = 1;
static unsigned long rounds;
static sem_t handled;
static sigset_t set;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
	(void)number;
	sem_post(&handled);
}
static void *works(void *p)
{
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	while (go_on) {
		pthread_mutex_lock(&m);
		rounds++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *sends(void *p)
{
	while (go_on) {
		sem_wait(&handled);
		kill(getpid(), SIGUSR1);
	}
	return p;
}

int main(void)
{
	pthread_t t, u;
	struct sigaction action = {.sa_handler = handler};

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&handled, 0, 1);
	pthread_create(&t, NULL, works, NULL);
	pthread_create(&u, NULL, sends, NULL);
	sleep(1);
	go_on = 0;
	sem_post(&handled);
	pthread_join(u, NULL);
	pthread_join(t, NULL);
	return 0;
}
