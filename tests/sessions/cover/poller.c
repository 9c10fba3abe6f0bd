#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done, n;
static atomic_int over;
static void lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static void *work(void *unused)
{
	for (int i = 0; i < 20; i++) {
		lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	atomic_store(&over, 1);
	return unused;
}
static void *watch(void *unused)
{
	lock(&m);
	while (!done) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 1000;
		pthread_cond_timedwait(&c, &m, &t);
	}
	pthread_mutex_unlock(&m);
	return unused;
}
static void *look(void *unused)
{
	while (!atomic_load(&over)) {
		lock(&other);
		pthread_mutex_unlock(&other);
		usleep(10);
	}
	return unused;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, watch, 0);
	pthread_create(&t[1], 0, work, 0);
	pthread_create(&t[2], 0, look, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
