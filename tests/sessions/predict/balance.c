/*
 * Two deposits. With LOCKED each is one region of the lock; without, it reads in one and writes in another. With HARMLESS nothing
 * looks at the result.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	int balance;
	int deposits;
};

static struct account *account;

static int
balance(struct account *a)
{
	int value;

	pthread_mutex_lock(&a->lock);
	value = a->balance;
	pthread_mutex_unlock(&a->lock);
	return value;
}

static void
set_balance(struct account *a, int value)
{
	pthread_mutex_lock(&a->lock);
	a->balance = value;
	a->deposits++;
	pthread_mutex_unlock(&a->lock);
}

void
deposit(struct account *a, int amount)
{
#ifdef LOCKED
	pthread_mutex_lock(&a->lock);
	a->balance += amount;
	a->deposits++;
	pthread_mutex_unlock(&a->lock);
#else
	set_balance(a, balance(a) + amount);
#endif
}

static void *
run(void *unused)
{
	deposit(account, 10);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	int good;

	(void)balance, (void)set_balance;
	account = calloc(1, sizeof(*account));
	pthread_mutex_init(&account->lock, NULL);
	pthread_create(&thread, NULL, run, NULL);
	deposit(account, 5);
	pthread_join(thread, NULL);
	good = account->balance == 15;
	free(account);
#ifdef HARMLESS
	good = 1;
#endif
	assert(good);
	return 0;
}
