#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, last;

static void *worker(void *number)
{
	atomic_fetch_add(&x, 1);
	atomic_store(&last, (int)(long)number);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, (void *)1);
	pthread_create(&b, NULL, worker, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return argc > 1 && atomic_load(&last) == 1;
}
