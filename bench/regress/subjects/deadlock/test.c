#include "accounts.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define TELLERS 3

static struct account one, two, three;
static struct journal journal;

/* What customers want, in the order in which they came: a transfer, or a deposit if there is no account to take it from. */
static const struct order {
	struct account *from, *to;
	int amount;
} orders[] = {
	{&one, &two, 10}, {&two, &one, 5}, {NULL, &three, 5}, {NULL, &one, 5},   {&one, &three, 5},
	{NULL, &two, 5},  {NULL, &one, 5}, {NULL, &three, 5}, {&two, &three, 5},
};
#define ORDERS (sizeof(orders) / sizeof(*orders))

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t next_order;

static const struct order *
next(void)
{
	const struct order *order = NULL;

	pthread_mutex_lock(&queue_lock);
	if (next_order < ORDERS)
		order = &orders[next_order++];
	pthread_mutex_unlock(&queue_lock);
	return order;
}

/* Each teller calls the next one. */
static void *
teller(void *number)
{
	intptr_t mine = (intptr_t)number;
	const struct order *order;
	pthread_t colleague;

	if (mine + 1 < TELLERS)
		pthread_create(&colleague, NULL, teller, (void *)(mine + 1));
	while ((order = next())) {
		if (order->from)
			account_transfer(order->from, order->to, &journal, order->amount);
		else
			account_deposit(order->to, &journal, order->amount);
		assert(account_balance(order->to) > 0);
	}
	if (mine + 1 < TELLERS)
		pthread_join(colleague, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	account_init(&one, 1, 100);
	account_init(&two, 2, 100);
	account_init(&three, 3, 100);
	journal_init(&journal);
	pthread_create(&first, NULL, teller, (void *)0);
	pthread_join(first, NULL);
	assert(account_total(&one, &two) + account_balance(&three) == 325);
	assert(journal_lines(&journal) == ORDERS);
	journal_release(&journal);
	account_release(&one);
	account_release(&two);
	account_release(&three);
	return 0;
}
