/* A holder sleeps while the time limits of seven other threads expire again and again: it wakes up in the end. */
/* options: --strategy icb --schedules 20 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}
static void *writes(void *p)
{
	struct timespec limit, pause = {0, 1000000};

	for (int i = 0; i < 3; i++) {
		do
			limit = soon();
		while (pthread_rwlock_timedwrlock(&l, &limit) == ETIMEDOUT);
		nanosleep(&pause, NULL);
		pthread_rwlock_unlock(&l);
	}
	return p;
}

int main(void)
{
	pthread_t t[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, writes, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
