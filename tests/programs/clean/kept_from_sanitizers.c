/*
 * A lock whose functions are excluded from ThreadSanitizer is seen: what it guards does not race. Two threads take it once each.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int guarded;

__attribute__((no_sanitize("thread"))) static void
lock(void)
{
	while (atomic_flag_test_and_set(&taken))
		;
}

__attribute__((no_sanitize("thread"))) static void
unlock(void)
{
	atomic_flag_clear(&taken);
}

static void *
worker(void *arg)
{
	lock();
	guarded++;
	unlock();
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	worker(NULL);
	pthread_join(thread, NULL);
	return guarded != 2;
}
