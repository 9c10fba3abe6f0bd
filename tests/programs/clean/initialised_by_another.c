/*
 * Objects that another thread has initialised, with something that orders the initialisation
 * before each use: a flag under a mutex, a release and an acquire, pthread_once(), a semaphore.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, made;
static pthread_rwlock_t also;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t last;
static sem_t tokens, posted;
static atomic_int published;
static int flag;

static void
make_last(void)
{
	pthread_barrier_init(&last, NULL, 1);
}

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_init(&made, NULL);
	flag = 1;
	pthread_mutex_unlock(&lock);
	sem_init(&tokens, 0, 1);
	atomic_store_explicit(&published, 1, memory_order_release);
	pthread_once(&once, make_last);
	pthread_rwlock_init(&also, NULL);
	sem_post(&posted);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&posted, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	int ready = flag;
	pthread_mutex_unlock(&lock);
	if (ready && !pthread_mutex_lock(&made))
		pthread_mutex_unlock(&made);
	if (atomic_load_explicit(&published, memory_order_acquire))
		sem_wait(&tokens);
	pthread_once(&once, make_last);
	pthread_barrier_wait(&last);
	sem_wait(&posted);
	pthread_rwlock_wrlock(&also);
	pthread_rwlock_unlock(&also);
	pthread_join(thread, NULL);
	return 0;
}
