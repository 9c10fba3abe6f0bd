/* One piece is in stock. One thread buys it, under a lock; another one looks whether there is any left. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1, refused;

static void *
buy(void *unused)
{
	pthread_mutex_lock(&lock);
	if (stock > 0)
		stock--;
	else
		refused++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *
look(void *unused)
{
	pthread_mutex_lock(&lock);
	if (stock == 0)
		refused = -1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
#ifdef ALONE
	look(NULL);
	buy(NULL);
#else
	pthread_t buyer, other;

	pthread_create(&buyer, NULL, buy, NULL);
	pthread_create(&other, NULL, look, NULL);
	pthread_join(buyer, NULL);
	pthread_join(other, NULL);
#endif
	assert(stock == 0);
	return 0;
}
