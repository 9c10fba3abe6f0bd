/*
 * A spin lock made of an atomic exchange, with and without sched_yield(): the waiting ends, acquire and release
 * order plain data. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_flag held = ATOMIC_FLAG_INIT;
static int total;

static void *
add(void *arg)
{
	while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire))
		if (arg)
			sched_yield();
	total++;
	atomic_flag_clear_explicit(&held, memory_order_release);
	return NULL;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, &total);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(total == 2);
	return 0;
}
