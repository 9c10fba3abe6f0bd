/*
 * Every kind of object is made, used, destroyed and made again in the same memory: the new one is not the one that was
 * destroyed. A thread uses each, so that there is something to interleave.
 */
/* options: --schedules=200 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t lock;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void *
use(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	sem_post(&semaphore);
	pthread_barrier_wait(&barrier);
	return arg;
}

int
main(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_mutex_init(&mutex, NULL);
		pthread_cond_init(&condition, NULL);
		pthread_rwlock_init(&lock, NULL);
		pthread_spin_init(&spin, 0);
		pthread_barrier_init(&barrier, NULL, 2);
		sem_init(&semaphore, 0, 0);
		pthread_create(&thread, NULL, use, NULL);
		use(NULL);
		sem_wait(&semaphore);
		sem_wait(&semaphore);
		pthread_join(thread, NULL);
		pthread_mutex_destroy(&mutex);
		pthread_cond_destroy(&condition);
		pthread_rwlock_destroy(&lock);
		pthread_spin_destroy(&spin);
		pthread_barrier_destroy(&barrier);
		sem_destroy(&semaphore);
	}
	return 0;
}
