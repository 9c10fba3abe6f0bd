/* The first thread polls with a time limit, and once in a while does not create the thread that it usually
 * does: that thread's events count for its creator. The other thread then has more to do than ever before.
 * So only the poller is thought to have something left to do, and yet it must not always go next. */
/* options: --strategy=surw --schedules=2000 --operations=200000 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;
static atomic_int first_come; /* 1: the worker, 2: the poller */

static void *
works(void *second)
{
	int nobody = 0, rounds = second || atomic_compare_exchange_strong(&first_come, &nobody, 1) ? 3 : 53;

	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		done++;
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

int
main(void)
{
	pthread_t first, second;
	int wanted = 53, nobody = 0, both;

	pthread_create(&first, 0, works, 0);
	for (int i = 0; i < 6 && !first_come; i++)
		;
	both = !atomic_compare_exchange_strong(&first_come, &nobody, 2);
	if (both) {
		pthread_create(&second, 0, works, &wanted);
		wanted = 6;
	}
	pthread_mutex_lock(&mutex);
	while (done < wanted) {
		struct timespec limit;

		clock_gettime(CLOCK_REALTIME, &limit);
		limit.tv_sec++;
		pthread_cond_timedwait(&condition, &mutex, &limit);
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(first, 0);
	if (both)
		pthread_join(second, 0);
	return 0;
}
