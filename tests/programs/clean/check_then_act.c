/*
 * The passengers of bug/assertion/check_then_act.c, repaired: a thread that
 * checks keeps the lock until the seat is taken. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seat_taken_by;

static void *
passenger(void *name)
{
	pthread_mutex_lock(&lock);
	if (seat_taken_by == 0)
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
	assert(seat_taken_by == 1 || seat_taken_by == 2);
	return 0;
}
