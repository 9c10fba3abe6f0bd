/* Two threads compute for long (and are preempted for that) while the first polls with a time limit:
 * its polling must not starve them, in any sampled schedule. 200 schedules, none of them cut off. */
/* options: --schedules 200 --strategy pct --operations 3000000 */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int done;
int data[2][64];

static void *
compute(void *arg)
{
	int *mine = arg;

	for (int i = 0; i < 150000; i++)
		mine[i % 64] += i;
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int
look(void)
{
	struct timespec limit;
	int finished, timed_out = 0;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_mutex_lock(&lock);
	while (done < 2 && !timed_out)
		timed_out = pthread_cond_timedwait(&ready, &lock, &limit);
	finished = done == 2;
	pthread_mutex_unlock(&lock);
	return finished;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, compute, data[i]);
	while (!look())
		;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
