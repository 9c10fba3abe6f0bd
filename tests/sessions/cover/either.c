#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void tell(void)
{
	if (!ready)
		pthread_cond_signal(&changed);
	ready = 1;
}
static void *slow(void *unused)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	tell();
	pthread_mutex_unlock(&m);
	return unused;
}
static void *quick(void *unused)
{
	pthread_mutex_lock(&m); /* 24 */
	tell();
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, slow, 0);
	pthread_create(&b, 0, quick, 0);
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&changed, &m); /* 36 */
	pthread_mutex_unlock(&m);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
