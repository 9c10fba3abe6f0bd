/* A lost update in unnamed memory: only lines can express its order. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct account {
	int balance;
};

static void *
deposit(void *arg)
{
	struct account *account = arg;
	int balance = account->balance;

	sched_yield(); /* its line is after the one and before the other */
	account->balance = balance + 10;
	return NULL;
}

int
main(void)
{
	struct account *account = calloc(1, sizeof(*account));
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, deposit, account);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(account->balance == 20);
	free(account);
	return 0;
}
