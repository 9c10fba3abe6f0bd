/*
 * Accounts, each with a lock: after the published subject "deadlock". A teller who needs two takes that of the account with
 * the smaller number first.
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

void
journal_init(struct journal *j)
{
	pthread_mutex_init(&j->lock, NULL);
	j->lines = j->sum = 0;
}

void
journal_release(struct journal *j)
{
	pthread_mutex_destroy(&j->lock);
}

static void
journal_add(struct journal *j, int amount)
{
	pthread_mutex_lock(&j->lock);
	j->lines++;
	j->sum += amount;
	pthread_mutex_unlock(&j->lock);
}

int
journal_lines(struct journal *j)
{
	int lines;

	pthread_mutex_lock(&j->lock);
	lines = j->lines;
	pthread_mutex_unlock(&j->lock);
	return lines;
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
account_deposit(struct account *a, struct journal *j, int amount)
{
	pthread_mutex_lock(&a->lock);
	a->balance += amount;
	pthread_mutex_unlock(&a->lock);
	journal_add(j, amount);
}

void
account_transfer(struct account *from, struct account *to, struct journal *j, int amount)
{
	lock_both(from, to);
	from->balance -= amount;
	to->balance += amount;
	unlock_both(from, to);
	journal_add(j, 0);
}

int
account_balance(struct account *a)
{
	int balance;

	pthread_mutex_lock(&a->lock);
	balance = a->balance;
	pthread_mutex_unlock(&a->lock);
	return balance;
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
