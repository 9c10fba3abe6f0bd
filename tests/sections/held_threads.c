/*
 * The start, the naming and the end of a thread are held until they may happen, and so
 * is its return from a wait. The log has them when they happened (see sections.sh).
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>

static sem_t semaphore;
static int a, b, c, d;

static void *
work(void *unused)
{
	assert(__atomic_load_n(&a, __ATOMIC_SEQ_CST));
	sleave_thread_name("worker");
	assert(__atomic_load_n(&b, __ATOMIC_SEQ_CST));
	sem_wait(&semaphore);
	assert(__atomic_load_n(&c, __ATOMIC_SEQ_CST));
	return unused;
}

static void
happens(const char *name, int *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
	sleave_event(name);
}

int
main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	SLEAVE_SCHEDULES("held", "a -> start@T1, b -> start@worker, block@worker -> blocked, c -> unblock@worker#1, d -> end@worker") {
		pthread_create(&thread, NULL, work, NULL);
		happens("a", &a);
		happens("b", &b);
		sleave_event("blocked");
		sem_post(&semaphore);
		happens("c", &c);
		happens("d", &d);
		pthread_join(thread, NULL);
	}
	return 0;
}
