/*
 * bug/assertion/signal_order.c, repaired: all waiters are woken, and the ticket decides. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int queued, turn, last;

static void *
waiter(void *arg)
{
	int ticket;

	pthread_mutex_lock(&lock);
	ticket = ++queued;
	while (turn != ticket)
		pthread_cond_wait(&go, &lock);
	assert(last == ticket - 1);
	last = ticket;
	turn++;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, waiter, NULL);
	pthread_mutex_lock(&lock);
	turn = 1;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(last == 2);
	return 0;
}
