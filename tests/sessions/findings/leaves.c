#include <pthread.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *leave(void *arg)
{
	pthread_mutex_lock(&lock[0]);
	(void)arg;
	pthread_exit(NULL);
}
static void *cancelled(void *arg)
{
	pthread_mutex_lock(&lock[1]);
	pause();
	return arg;
}
static int plain(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock[2]);
	thrd_exit(0);
}
int main(void)
{
	pthread_t t[2];
	thrd_t u;

	pthread_create(&t[0], NULL, leave, NULL);
	pthread_create(&t[1], NULL, cancelled, NULL);
	thrd_create(&u, plain, NULL);
	pthread_cancel(t[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	thrd_join(u, NULL);
	return 0;
}
