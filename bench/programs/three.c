/*
 * Three threads, the first included; each does ATOMICS atomic additions and LOCKS additions under a lock.
 * "4 0" and "2 1" come to 16 operations, with two creates and two joins. "4 0" has the larger tree.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;
static int balance, atomics, locks;

static void *
work(void *unused)
{
	for (int i = 0; i < atomics; i++)
		count++;
	for (int i = 0; i < locks; i++) {
		pthread_mutex_lock(&lock);
		balance++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];

	atomics = argc > 1 ? atoi(argv[1]) : 2;
	locks = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return count != 3 * atomics || balance != 3 * locks;
}
