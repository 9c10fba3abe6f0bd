/*
 * Functions whose stacks grow while they run: T1 is in one at line 27, T2 at line 33, and each pays in after
 * that. A function that returns with another stack pointer than it was entered with has returned all the same.
 */
#include <alloca.h>
#include <pthread.h>
static int balance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int __attribute__((noinline)) touch(volatile char *p, int n)
{
	p[n - 1] = 1;
	return p[n - 1];
}
static int __attribute__((noinline)) grow(int n)
{
	volatile char *p = alloca(n);
	return touch(p, n) + touch(p, 1);
}
static void deposit(int n)
{
	pthread_mutex_lock(&m);
	balance += n;
	pthread_mutex_unlock(&m);
}
static void *one(void *p)
{
	grow(3000);
	deposit(1);
	return p;
}
static void *two(void *p)
{
	grow(500);
	deposit(2);
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return balance != 3;
}
