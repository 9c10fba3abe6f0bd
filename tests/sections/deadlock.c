/* A deadlock of the program's own, to which the schedule leads, and in which no thread is held: it is explained, and nothing hangs. */
/* aborts */
/* says: schedule "crossed" leads to a deadlock, although the schedule holds no thread back */
/* says: main waits at sections/deadlock.c:46 for the end of T1 */
/* says: T1 waits at sections/deadlock.c:18 for a mutex (b), which T2 holds */
/* says: T2 waits at sections/deadlock.c:30 for a mutex (a), which T1 holds */
#include <pthread.h>
#include <sleave.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
first(void *unused)
{
	pthread_mutex_lock(&a);
	sleave_event("hasA");
	sleave_event("wantsB");
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *
second(void *unused)
{
	pthread_mutex_lock(&b);
	sleave_event("hasB");
	sleave_event("wantsA");
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	sleave_name(&a, "a");
	sleave_name(&b, "b");
	SLEAVE_SCHEDULES("crossed", "hasA -> wantsA, hasB -> wantsB") {
		pthread_create(&threads[0], NULL, first, NULL);
		pthread_create(&threads[1], NULL, second, NULL);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
	}
	return 0;
}
