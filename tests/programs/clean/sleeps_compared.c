/*
 * A thread that sleeps while it holds a lock, and again when it has released the lock. dpor chooses a thread even where
 * only one is enabled, so its steps end at other places than those of other strategies; the recorded schedule has to
 * lead through the same execution all the same. Each execution is run twice and compared. Nothing is to be found.
 */
/* options: -s dpor --check-determinism=all */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *
add(void *unused)
{
	struct timespec moment = {0, 1000000};

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		int next = value + 1;

		nanosleep(&moment, NULL);
		value = next;
		pthread_mutex_unlock(&lock);
		sleep(1);
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(value == 2 * ROUNDS);
	return 0;
}
