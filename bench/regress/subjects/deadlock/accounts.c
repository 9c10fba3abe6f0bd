/*
 * Two accounts, each with a lock: after the published subject "deadlock". Who needs both takes that of the account with the
 * smaller number first.
 */
#include "accounts.h"

void
account_init(struct account *a, int number, int balance)
{
	pthread_mutex_init(&a->lock, NULL);
	a->number = number;
	a->balance = balance;
}

void
account_release(struct account *a)
{
	pthread_mutex_destroy(&a->lock);
}

static void
lock_both(struct account *a, struct account *b)
{
	struct account *first = a->number < b->number ? a : b;

	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(first == a ? &b->lock : &a->lock);
}

static void
unlock_both(struct account *a, struct account *b)
{
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&b->lock);
}

void
account_transfer(struct account *from, struct account *to, int amount)
{
	lock_both(from, to);
	from->balance -= amount;
	to->balance += amount;
	unlock_both(from, to);
}

int
account_total(struct account *a, struct account *b)
{
	int total;

	lock_both(a, b);
	total = a->balance + b->balance;
	unlock_both(a, b);
	return total;
}
