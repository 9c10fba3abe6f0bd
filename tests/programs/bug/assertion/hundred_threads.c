/*
 * A hundred threads, one of which forgets the lock (the counter is atomic, so it is no race): lost in one of very
 * many interleavings.
 */
/* expect: total == 100 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int total;

static void *
add(void *arg)
{
	int now;

	if (arg)
		pthread_mutex_lock(&lock);
	now = total;
	total = now + 1;
	if (arg)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	static pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, add, i == 50 ? NULL : &total);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(total == 100);
	return 0;
}
