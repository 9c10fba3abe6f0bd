#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int count;

static void *add(void *arg)
{
	for (int i = 0; i < 100; i++)
		count++;
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	close(open("begun", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
