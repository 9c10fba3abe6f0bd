/*
 * What is made and ends: as under control, the making of mutexes and the end of everything.
 * counts: INIT 2 DESTROY 7
 */
#include <pthread.h>
#include <semaphore.h>

int
main(void)
{
	pthread_mutex_t mutex, second;
	pthread_cond_t cond;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
	pthread_barrier_t barrier;
	sem_t semaphore;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_init(&second, NULL);
	pthread_cond_init(&cond, NULL);
	pthread_rwlock_init(&rwlock, NULL);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 1);
	sem_init(&semaphore, 0, 1);
	pthread_mutex_destroy(&mutex);
	pthread_mutex_destroy(&second);
	pthread_cond_destroy(&cond);
	pthread_rwlock_destroy(&rwlock);
	pthread_spin_destroy(&spin);
	pthread_barrier_destroy(&barrier);
	sem_destroy(&semaphore);
	return 0;
}
