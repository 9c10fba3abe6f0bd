/*
 * The struct that is handed over by value is read by the call itself, in no statement of its own. The writer holds
 * the lock; the reader forgot it.
 */
/* expect: data race on setting\.high: T1 use reads .*, main writes */
#include <pthread.h>

struct setting {
	long low, high, step;
} setting = {1, 9, 2};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;

__attribute__((noinline)) static void
add(struct setting s)
{
	sum += s.low + s.high;
}

static void *
use(void *arg)
{
	add(setting);
	return arg;
}

static void
set(long high)
{
	pthread_mutex_lock(&lock);
	setting.high = high;
	pthread_mutex_unlock(&lock);
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use, NULL);
	set(12);
	pthread_join(thread, NULL);
	return 0;
}
