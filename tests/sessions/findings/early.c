#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void handler(int number) { (void)number; }
static void *work(void *first)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
		if (i == 12)
			pthread_kill(*(pthread_t *)first, SIGUSR1);
	}
	return NULL;
}
int main(void)
{
	pthread_t t, first = pthread_self();

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, work, &first);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	pause();
	pthread_join(t, NULL);
	return 0;
}
