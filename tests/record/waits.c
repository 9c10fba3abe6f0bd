/*
 * A queue with condition variables, semaphores, a barrier, something that is done once.
 * counts: SEM_WAIT 1000 SEM_POST 1000 SEM_TRYWAIT 1 BARRIER_WAIT 30 BARRIER_LEAVE 30 ONCE 3 TIMEOUT 1 EVENT 3 NAME 1
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include "sleave.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int queued, made;

static void
make(void)
{
	made = 1;
}

static void *
run(void *number)
{
	pthread_once(&once, make);
	sleave_event("arrives");
	if (number)
		sleave_thread_name("consumer");
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&mutex);
		if (number) {
			while (!queued)
				pthread_cond_wait(&some, &mutex);
			queued--;
		} else {
			queued++;
			pthread_cond_signal(&some);
		}
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 500; i++) {
		if (number)
			sem_wait(&sem);
		else
			sem_post(&sem);
	}
	for (int i = 0; i < 10; i++)
		pthread_barrier_wait(&barrier);
	return NULL;
}

int
main(void)
{
	struct timespec past = {1, 0};
	pthread_t threads[2];

	sem_init(&sem, 0, 0);
	sem_trywait(&sem);
	pthread_barrier_init(&barrier, NULL, 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	run((void *)0);
	for (int i = 0; i < 500; i++)
		sem_wait(&sem);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&some, &mutex, &past);
	pthread_mutex_unlock(&mutex);
	return made - 1;
}
