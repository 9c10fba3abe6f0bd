/* Two locks, taken in both orders. */
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *p)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return p;
}
static void *two(void *p)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return p;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, NULL, one, NULL);
	pthread_create(&y, NULL, two, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	return 0;
}
