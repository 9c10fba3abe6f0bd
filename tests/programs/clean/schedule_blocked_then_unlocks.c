/* All of it under one lock, in a section with a block atom: what main learns from the waiter when that is
 * blocked must not stand for what the waiter learns later, from the other thread, and passes on. No race. */
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;
int x;

static void *waiter(void *arg)
{
	sleave_event("waiting");
	pthread_mutex_lock(&m);
	while (!go)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *other(void *arg)
{
	sleave_event("coming");
	pthread_mutex_lock(&m);
	x++;
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	SLEAVE_SCHEDULE("[waiting] -> going") {
		pthread_t t, u;
		pthread_create(&t, NULL, waiter, NULL);
		pthread_create(&u, NULL, other, NULL);
		sleave_event("going");
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
		pthread_join(t, NULL);
		pthread_join(u, NULL);
	}
	return 0;
}
