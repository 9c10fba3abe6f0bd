/* One of two interleavings takes ten thousand times as long as the other: it ends all the same, and both are seen. */
/* options: --strategy dfs */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int first, count;

static void *works(void *p)
{
	int late;

	pthread_mutex_lock(&m);
	late = first;
	first = 1;
	pthread_mutex_unlock(&m);
	for (int i = 0; late && i < 100000; i++) {
		pthread_mutex_lock(&m);
		count++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *comes(void *p)
{
	pthread_mutex_lock(&m);
	first = 1;
	pthread_mutex_unlock(&m);
	return p;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, works, NULL);
	pthread_create(&u, NULL, comes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
