#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *worker(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&a);
		x++;
		pthread_mutex_lock(&b);
		y += x;
		pthread_mutex_unlock(&b);
		pthread_mutex_unlock(&a);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
