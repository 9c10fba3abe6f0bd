#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static atomic_int y;
static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	*(volatile int *)&x = 1;
	*(volatile int *)&x = 2;
	pthread_mutex_unlock(&m);
	atomic_store(&y, 2);
	return unused;
}
int main(void)
{
	pthread_t a;
	int seen;
	pthread_create(&a, 0, one, 0);
	pthread_mutex_lock(&m);
	seen = x;
	pthread_mutex_unlock(&m);
	seen += atomic_load(&y);
	pthread_join(a, 0);
	return seen > 4;
}
