/*
 * Bubble sort by several threads: after the published subject "bubble sort". Each pass looks at pairs of neighbours
 * from the left to the right, and locks both while it compares and exchanges them.
 */
#include "sort.h"

void
row_init(struct row *r, const int *values)
{
	for (int i = 0; i < LENGTH; i++) {
		pthread_mutex_init(&r->locks[i], NULL);
		r->values[i] = values[i];
	}
	pthread_mutex_init(&r->count_lock, NULL);
	r->swaps = r->passes = 0;
}

void
row_release(struct row *r)
{
	for (int i = 0; i < LENGTH; i++)
		pthread_mutex_destroy(&r->locks[i]);
	pthread_mutex_destroy(&r->count_lock);
}

static void
count(struct row *r, int *what)
{
	pthread_mutex_lock(&r->count_lock);
	++*what;
	pthread_mutex_unlock(&r->count_lock);
}

static void
lock_pair(struct row *r, int left)
{
	pthread_mutex_lock(&r->locks[left]);
	pthread_mutex_lock(&r->locks[left + 1]);
}

static void
unlock_pair(struct row *r, int left)
{
	pthread_mutex_unlock(&r->locks[left + 1]);
	pthread_mutex_unlock(&r->locks[left]);
}

static int
order_pair(struct row *r, int left)
{
	int a, b;

	lock_pair(r, left);
	a = r->values[left];
	b = r->values[left + 1];
	if (a > b) {
		r->values[left] = b;
		r->values[left + 1] = a;
	}
	unlock_pair(r, left);
	return a > b;
}

void
row_pass(struct row *r)
{
	for (int i = 0; i + 1 < LENGTH; i++)
		if (order_pair(r, i))
			count(r, &r->swaps);
	count(r, &r->passes);
}

int
row_sum(struct row *r)
{
	int sum = 0;

	for (int i = 0; i < LENGTH; i++) {
		pthread_mutex_lock(&r->locks[i]);
		sum += r->values[i];
		pthread_mutex_unlock(&r->locks[i]);
	}
	return sum;
}
