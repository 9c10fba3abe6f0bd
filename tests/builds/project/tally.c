#include "tally.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

void
tally_add(int n)
{
#ifdef REPAIRED
	pthread_mutex_lock(&lock);
	sum += n;
#else
	int before = sum; /* the seeded bug: read without the lock */

	pthread_mutex_lock(&lock);
	sum = before + n;
#endif
	pthread_mutex_unlock(&lock);
}

int
tally_sum(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = sum;
	pthread_mutex_unlock(&lock);
	return n;
}
