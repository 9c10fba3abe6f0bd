/*
 * A bank account with a lost update: deposit() takes the lock, withdraw() does not. In rare interleavings a
 * deposit is lost and the balance is wrong.
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
	if (from->balance < amount)
		return -1;
	from->balance -= amount;
	return 0;
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
