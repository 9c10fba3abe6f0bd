/*
 * An alarm that would end a program which takes too long: threads that can go on, or sleep for less, are not too long, whatever the
 * schedule. Nothing is to be found.
 */
/* options: --schedules 500 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *
work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	alarm(5);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return count != 6;
}
