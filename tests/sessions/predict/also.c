/* A sum that is read in one region and written in another. With MORE one of the threads holds a lock that changes nothing. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static struct sum {
	int value;
} sum;

void
add(int number)
{
	int value;

	pthread_mutex_lock(&lock);
	value = sum.value;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	sum.value = value + number;
	pthread_mutex_unlock(&lock);
}

static void *
run(void *unused)
{
	add(1);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
#ifdef MORE
	pthread_mutex_lock(&other);
#endif
	add(2);
#ifdef MORE
	pthread_mutex_unlock(&other);
#endif
	pthread_join(thread, NULL);
	(void)other;
	return 0;
}
