/*
 * A struct that fits into registers, passed and returned by value: read and written by calls as well.
 */
/* expect: data race on point\.x: T1 mirror writes .*, T2 shift */
#include <pthread.h>

struct point {
	int x, y;
} point = {1, 2};

__attribute__((noinline)) static struct point
swap(struct point p)
{
	return (struct point){p.y, p.x};
}

static void *
mirror(void *arg)
{
	point = swap(point);
	return arg;
}

static void *
shift(void *arg)
{
	point.x++;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, mirror, NULL);
	pthread_create(&b, NULL, shift, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
