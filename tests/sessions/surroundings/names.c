#define _GNU_SOURCE
#include <pthread.h>
#include <sleave.h>

static int x;

static void *write_it(void *arg)
{
	pthread_setname_np(pthread_self(), "a\nb\033[2Jc");
	sleave_event("an\nevent\033[1m");
	x++;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
