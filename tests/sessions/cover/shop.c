#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int stock;
static void *make(void *times)
{
	for (long i = 0; i < (long)times; i++) {
		pthread_mutex_lock(&m);
		while (stock == 1)
			pthread_cond_wait(&room, &m);
		stock++;
		pthread_cond_signal(&full);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
static void *buy(void *times)
{
	for (long i = 0; i < (long)times; i++) {
		pthread_mutex_lock(&m);
		while (stock == 0)
			pthread_cond_wait(&full, &m); /* 22 */
		stock--;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], 0, i % 2 ? buy : make, (void *)(i < 2 ? 2L : 1L));
	for (long i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
