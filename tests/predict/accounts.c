/*
 * Atomic sets and units of work: elements of an array of structs, variables under one lock, variables alone. Right are the lost update of
 * a balance in deposit(), and the two readings in report() that differ; and the variable without a lock. Nothing else is wrong:
 * different accounts do not meet, rounds of the loop in run() are units of their own, create and join order what main() does, and
 * pthread_once() what start() does.
 */
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account *accounts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int deposits, sum;
static int total;
static int limit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
start(void)
{
	limit = 1;
	limit++;
}

int
deposit(struct account *a, int amount)
{
	int balance;

	pthread_mutex_lock(&a->lock);
	balance = a->balance;
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_lock(&a->lock);
	a->balance = balance + amount;
	pthread_mutex_unlock(&a->lock);
	return balance;
}

void
count(int amount)
{
	pthread_mutex_lock(&lock);
	deposits++;
	sum += amount;
	pthread_mutex_unlock(&lock);
}

int
report(void)
{
	int n, s;

	pthread_mutex_lock(&lock);
	n = deposits;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	s = sum;
	pthread_mutex_unlock(&lock);
	return n + s;
}

static void *
run(void *data)
{
	pthread_once(&once, start);
	for (int i = 0; i < 3; i++) {
		deposit(&accounts[i % 2], limit);
		count(i);
	}
	total++;
	return data;
}

static void *
look(void *data)
{
	return report() < 0 ? data : NULL;
}

int
main(void)
{
	pthread_t t[3];

	accounts = calloc(2, sizeof(*accounts));
	for (int i = 0; i < 2; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 0;
	}
	total = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? run : look, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return accounts[0].balance + total < 0;
}
