/* A thread whose wait timed out goes on like any other: it may take the lock before the
 * thread that it has just released. That needs no preemption (tests/fewest_preemptions.sh). */
/* expect: !taken */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t go;
static bool taken;

static void *
second(void *arg)
{
	sem_wait(&go);
	pthread_mutex_lock(&lock);
	assert(!taken);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	struct timespec past = {0};
	pthread_t thread;

	sem_init(&go, 0, 0);
	pthread_create(&thread, NULL, second, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&never, &lock, &past);
	pthread_mutex_unlock(&lock);
	sem_post(&go);
	pthread_mutex_lock(&lock);
	taken = true;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
