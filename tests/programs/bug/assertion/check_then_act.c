/*
 * Two threads check under the lock whether the seat is free, release the lock, and then take
 * the seat under the lock again: both may have it. There is no race: every access is locked.
 */
/* expect: seat_taken_by == 0 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seat_taken_by;

static void *
passenger(void *name)
{
	int is_free;

	pthread_mutex_lock(&lock);
	is_free = seat_taken_by == 0;
	pthread_mutex_unlock(&lock);
	if (!is_free)
		return NULL;
	pthread_mutex_lock(&lock);
	assert(seat_taken_by == 0);
	seat_taken_by = *(int *)name;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	static int names[2] = {1, 2};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, passenger, &names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
