/* Two threads do the same thing very often, and count in a register: long, but not for ever. */
/* options: --schedules 3 --operations 400000 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *often(void *p)
{
	for (int i = 0; i < 50000; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, often, NULL);
	pthread_create(&u, NULL, often, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
