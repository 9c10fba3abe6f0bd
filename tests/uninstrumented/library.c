/*
 * A library that locks, counts, starts threads or only computes, in the way that the name of the function says. Compiled without sleave cc.
 */
#include <pthread.h>
#include <stdlib.h>

int library_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
library_locks(void)
{
	pthread_mutex_lock(&lock);
	library_count++;
	pthread_mutex_unlock(&lock);
}

/* No call that Sleave sees. */
void
library_counts(void)
{
	library_count++;
}

int
library_computes(int x)
{
	return x * x;
}

void
library_allocates(void)
{
	free(malloc(10));
}

void *
library_thread(void *arg)
{
	library_locks();
	return arg;
}
