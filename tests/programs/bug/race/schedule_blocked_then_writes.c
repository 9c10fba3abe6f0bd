/* A relaxed flag orders nothing: the waiter's write to x and main's read
 * race. The schedule orders only what the waiter did before it blocked. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sleave.h>

static sem_t s;
int x;
static atomic_int flag;

static void *waiter(void *arg)
{
	sleave_event("waiting");
	sem_wait(&s);
	x = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	int seen = 0;

	sem_init(&s, 0, 0);
	SLEAVE_SCHEDULE("[waiting] -> going") {
		pthread_t t;
		pthread_create(&t, NULL, waiter, NULL);
		sleave_event("going");
		sem_post(&s);
		if (atomic_load_explicit(&flag, memory_order_relaxed))
			seen = x;
		pthread_join(t, NULL);
	}
	return seen > 1;
}
