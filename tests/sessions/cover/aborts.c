#include <pthread.h>
#include <stdlib.h>
#include <sleave.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *worker(void *unused)
{
	pthread_mutex_lock(&m);
	if (n++ == 1) {
		sleave_event("the last\nof all");
		abort();
	}
	pthread_mutex_unlock(&m);
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
