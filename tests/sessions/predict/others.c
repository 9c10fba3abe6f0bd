/* Two threads put a value. That of the first is put before main() goes on; that of the second may come between what main() reads and writes. */
#include <pthread.h>
#include <semaphore.h>

static struct place {
	int value;
} place;
static sem_t put;

void
store(int value)
{
	place.value = value;
}

static void *
run(void *first)
{
	store(1);
	if (first)
		sem_post(&put);
	return NULL;
}

void
increment(void)
{
	int value = place.value;

	place.value = value + 1;
}

int
main(void)
{
	pthread_t threads[2];
	static int first;

	sem_init(&put, 0, 0);
	pthread_create(&threads[0], NULL, run, &first);
	pthread_create(&threads[1], NULL, run, NULL);
	sem_wait(&put);
	increment();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
