/*
 * A function whose stack has grown calls others, deeper than calls are recorded, which keep using its frame
 * pointer: when these return, it has not returned. T1 is in grow() when it comes to what T2 looks for at line 33.
 */
#include <alloca.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int left;
static int early;
static int __attribute__((noinline)) touch(volatile char *p, int n)
{
	p[n - 1] = 1;
	return p[n - 1];
}
static int __attribute__((noinline)) dig(volatile int n)
{
	return n ? 1 + dig(n - 1) : 0;
}
static int __attribute__((noinline)) grow(int n)
{
	volatile char *p = alloca(n);
	int deep = touch(p, n) + dig(6000);
	left = 1;
	return deep + touch(p, 1);
}
static void *one(void *p)
{
	grow(3000);
	return p;
}
static void __attribute__((noinline)) check(void)
{
	early = !left;
}
static void *two(void *p)
{
	check();
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return early;
}
