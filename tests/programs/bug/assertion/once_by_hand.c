/*
 * "Only once" by an atomic flag that is tested and set in two steps: initialised twice.
 */
/* expect: times == 1 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int initialised, times;

static void *
use(void *arg)
{
	if (!atomic_load(&initialised)) {
		atomic_store(&initialised, 1);
		times++;
	}
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(times == 1);
	return 0;
}
