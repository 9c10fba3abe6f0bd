#include "accounts.h"

#include <assert.h>

#define TELLERS 3
#define DEPOSITS 5

static struct account one, two, three;
static struct journal journal;

/* Each teller makes a transfer, and then serves customers. */
static void
serve(struct account *account)
{
	for (int i = 0; i < DEPOSITS; i++) {
		account_deposit(account, &journal, 1);
		assert(account_balance(account) > 0);
	}
}

static void *
there(void *arg)
{
	account_transfer(&one, &two, &journal, 10);
	serve(&one);
	return arg;
}

static void *
back(void *arg)
{
	account_deposit(&three, &journal, 1);
	account_transfer(&two, &one, &journal, 5);
	serve(&two);
	return arg;
}

static void *
beside(void *arg)
{
	account_transfer(&one, &three, &journal, 1);
	serve(&three);
	return arg;
}

int
main(void)
{
	static void *(*const tellers[TELLERS])(void *) = {there, back, beside};
	pthread_t threads[TELLERS];

	account_init(&one, 1, 100);
	account_init(&two, 2, 100);
	account_init(&three, 3, 100);
	journal_init(&journal);
	for (int i = 0; i < TELLERS; i++)
		pthread_create(&threads[i], NULL, tellers[i], NULL);
	for (int i = 0; i < TELLERS; i++)
		pthread_join(threads[i], NULL);
	assert(account_total(&one, &two) + account_balance(&three) == 300 + TELLERS * DEPOSITS + 1);
	assert(journal_lines(&journal) == TELLERS * DEPOSITS + TELLERS + 1);
	journal_release(&journal);
	account_release(&one);
	account_release(&two);
	account_release(&three);
	return 0;
}
