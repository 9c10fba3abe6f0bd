/* A thread polls with a trylock that succeeds each time; the other needs that lock to end it. */
/* options: --strategy pct --schedules 50 */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static bool flag;
static long rounds;

static void *polls(void *p)
{
	bool seen = false;

	while (!seen) {
		if (pthread_mutex_trylock(&outer))
			continue;
		pthread_mutex_lock(&inner);
		seen = flag;
		rounds++;
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
	}
	return p;
}
static void *sets(void *p)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	flag = true;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, polls, NULL);
	pthread_create(&u, NULL, sets, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
