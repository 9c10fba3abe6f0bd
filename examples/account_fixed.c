/*
 * The bank account of account.c, repaired: withdraw() checks and changes the balance under the lock. It has no bug.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 100};

static void
deposit(struct account *to, int amount)
{
	pthread_mutex_lock(&to->lock);
	to->balance += amount;
	pthread_mutex_unlock(&to->lock);
}

static int
withdraw(struct account *from, int amount)
{
	int result = -1;

	pthread_mutex_lock(&from->lock);
	if (from->balance >= amount) {
		from->balance -= amount;
		result = 0;
	}
	pthread_mutex_unlock(&from->lock);
	return result;
}

static void *
employer(void *arg)
{
	deposit(arg, 50);
	return NULL;
}

static void *
landlord(void *arg)
{
	if (withdraw(arg, 30) != 0)
		puts("the rent is not paid");
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, employer, &account);
	pthread_create(&threads[1], NULL, landlord, &account);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(account.balance == 120);
	return 0;
}
