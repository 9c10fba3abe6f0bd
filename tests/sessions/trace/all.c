/* everything that is recorded */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int first, second;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static atomic_int counter;
static struct pair table[4];
static int go;

static struct pair *make(int n)
{
	struct pair *p = malloc(sizeof(*p) * n);

	memset(p, 0, sizeof(*p) * n);
	p[1].second = 7;
	return p;
}

static void *worker(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	struct pair *p = make(3);

	free(p);
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	pthread_rwlock_rdlock(&rw);
	table[2].second = 5;
	pthread_rwlock_unlock(&rw);
	atomic_fetch_add(&counter, 1);
	sleave_event("halfway");
	sem_post(&sem);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	sem_wait(&sem);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return atomic_load(&counter) - 1;
}
