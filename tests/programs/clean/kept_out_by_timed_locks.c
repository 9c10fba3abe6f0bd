/* Four threads take a lock with a time limit that runs out, and sleep while they have it. */
/* options: --strategy rf --schedules 50 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *takes(void *p)
{
	for (int i = 0; i < 3; i++) {
		struct timespec limit;

		do {
			clock_gettime(CLOCK_REALTIME, &limit);
			limit.tv_nsec += limit.tv_nsec < 999000000 ? 1000 : 0;
		} while (pthread_mutex_timedlock(&m, &limit));
		usleep(10);
		count++;
		pthread_mutex_unlock(&m);
	}
	return p;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, takes, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return count != 12;
}
