/* Two threads pay in, under a lock: T1 at line 13, T2 at line 18. */
#include <pthread.h>
static int balance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void deposit(int n)
{
	pthread_mutex_lock(&m);
	balance += n;
	pthread_mutex_unlock(&m);
}
static void *one(void *p)
{
	deposit(1);
	return p;
}
static void *two(void *p)
{
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
