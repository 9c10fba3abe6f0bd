#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
enum { ROUNDS = 60 };
static int there[ROUNDS], back[ROUNDS], at, turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static void clean(void *unused) { (void)unused; int i = at; back[i] = there[i]; }
static void clean_lock(void *unused) { clean(unused); pthread_mutex_unlock(&lock); }
static void *pauses(void *unused)
{
	pthread_cleanup_push(clean, unused);
	sem_post(&ready);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return unused;
}
static void *waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean_lock, unused);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return unused;
}
static void *spins(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, unused);
	sem_post(&ready);
	for (;;)
		__asm__ volatile("pause");
	pthread_cleanup_pop(0);
	return unused;
}
int main(void)
{
	static void *(*const victims[])(void *) = {pauses, waits, spins};
	sem_init(&ready, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, victims[i % 3], NULL);
		sem_wait(&ready);
		at = i;
		there[i] = i;
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		turns += back[i] == i;
	}
	return turns != ROUNDS;
}
