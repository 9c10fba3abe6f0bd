/* Each thread gives the turn to the other, and neither uses it: in every schedule, for ever. */
/* expect: livelock: T1 passes and T2 passes repeat the same */
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long turn = 1;

static void *passes(void *p)
{
	long me = (intptr_t)p;

	pthread_mutex_lock(&m);
	for (;;) {
		while (turn != me)
			pthread_cond_wait(&c, &m);
		turn = 3 - me; /* after you */
		pthread_cond_broadcast(&c);
	}
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, passes, (void *)1);
	pthread_create(&u, NULL, passes, (void *)2);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
