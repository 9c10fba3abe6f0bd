#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int first, second, last;

static void *worker(void *number)
{
	int none = 0;

	if (!atomic_compare_exchange_strong(&first, &none, (int)(long)number))
		return NULL;
	atomic_store(&second, 1);
	atomic_store(&last, (int)(long)number);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (atomic_load(&last) == 3)
		kill(getpid(), SIGKILL);
	return 0;
}
