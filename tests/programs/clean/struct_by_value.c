/*
 * Structs by value under a lock, large and small, and in memory of one thread alone: nothing to find. Which thread has
 * the lock first: two executions.
 */
#include <assert.h>
#include <pthread.h>

struct setting {
	long low, high, step;
} setting = {1, 9, 2};
struct point {
	int x, y;
} point = {1, 2};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static struct setting
raised(struct setting s, struct point by)
{
	s.high += by.x;
	return s;
}

__attribute__((noinline)) static struct point
swapped(struct point p)
{
	return (struct point){p.y, p.x};
}

static void *
work(void *arg)
{
	struct setting own = raised((struct setting){0, 1, 2}, (struct point){1, 1});

	pthread_mutex_lock(&lock);
	setting = raised(setting, point);
	point = swapped(point);
	pthread_mutex_unlock(&lock);
	own = raised(own, swapped((struct point){1, 2}));
	assert(own.high == 4);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(setting.high == 12 && point.x == 1);
	return 0;
}
