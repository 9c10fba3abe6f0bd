#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int balance;

static void *deposit(void *arg)
{
	balance += 100;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	assert(getchar() == EOF);
	puts("said");
	fputs("cried\n", stderr);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(balance == 200);
	return 0;
}
