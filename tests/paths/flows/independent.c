/* Nothing that is read affects a branch. */
#include <pthread.h>

int x, y, z, values[4];
struct record {
	int a, b;
} record, copy;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int
add(int a, int b)
{
	return a + b;
}

static void *
work(void *arg)
{
	pthread_mutex_lock(&m);
	x = add(x, y);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		y = values[i + 1] + z;
	copy = record;
	z = copy.a;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return x;
}
