/* A schedule over code orders nothing for the race detector: y races, whichever thread comes first to x. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int y;
static void *one(void *p)
{
	y = 1;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return p;
}
static void *two(void *p)
{
	atomic_load_explicit(&x, memory_order_relaxed);
	return y ? p : NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
