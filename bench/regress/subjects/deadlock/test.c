#include "accounts.h"

#include <assert.h>

static struct account one, two;

static void *
there(void *arg)
{
	account_transfer(&one, &two, 10);
	return arg;
}

static void *
back(void *arg)
{
	account_transfer(&two, &one, 5);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	account_init(&one, 1, 100);
	account_init(&two, 2, 100);
	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(account_total(&one, &two) == 200);
	account_release(&one);
	account_release(&two);
	return 0;
}
