/* Two threads yield to each other for ever, in step. --stateful reports no livelock, but does not say that all is well. */
/* options: --stateful */
/* expect: ^a livelock: */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (;;) {
		pthread_mutex_t *missing = second;

		pthread_mutex_lock(first);
		if (pthread_mutex_trylock(second) == 0)
			break;
		pthread_mutex_unlock(first);
		second = first;
		first = missing;
	}
	done++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *forward(void *p) { both(&a, &b); return p; }
static void *backward(void *p) { both(&b, &a); return p; }

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, forward, NULL);
	pthread_create(&u, NULL, backward, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return done != 2;
}
