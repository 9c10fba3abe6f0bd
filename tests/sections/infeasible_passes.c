/* SLEAVE_INFEASIBLE: the test of a fixed bug passes because the bad order is impossible. What comes after it runs once. */
#include <assert.h>
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *
add(void *unused)
{
	pthread_mutex_lock(&lock);
	sleave_event("read");
	int seen = value;
	sleave_event("writes");
	value = seen + 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	int after = 0;

	SLEAVE_INFEASIBLE("lost update", "read#2 -> writes#1") {
		pthread_t threads[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	after++;
	assert(after == 1 && value == 0);
	SLEAVE_SCHEDULE("read#1 -> writes#1, writes#1 -> read#2") {
		pthread_t threads[2];

		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, add, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	assert(value == 2);
	return 0;
}
