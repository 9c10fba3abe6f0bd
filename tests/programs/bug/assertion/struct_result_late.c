/*
 * Other threads can run between the function that makes the struct and the write of it: the reader may
 * still see the old one after the function has reported that it is done. Races are not the subject here.
 */
/* options: --races=off */
/* expect: setting\.high == 12 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct setting {
	long low, high, step;
} setting = {1, 9, 2};
static atomic_int done;

__attribute__((noinline)) static struct setting
make(long high)
{
	atomic_store(&done, 1);
	return (struct setting){0, high, 1};
}

static void *
set(void *arg)
{
	setting = make(12);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	if (atomic_load(&done))
		assert(setting.high == 12);
	pthread_join(thread, NULL);
	return 0;
}
