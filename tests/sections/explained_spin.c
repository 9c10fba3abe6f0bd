/* The message names the holder of a spin lock, though the lock does not record it; the lock, and the place where a thread waits for it. */
/* aborts */
/* says: schedule "both in" can't happen: no thread can go on */
/* says: T1 (first) is held at `out` */
/* says: main waits at sections/explained_spin.c:51 for the end of T1 (first) */
/* says: T2 (second) waits at sections/explained_spin.c:33 for a spin lock (locks[1].lock), which T1 (first) holds */
#include <pthread.h>
#include <sleave.h>

static struct {
	int unused;
	pthread_spinlock_t lock, other;
} locks[2];

static void *
first(void *unused)
{
	sleave_thread_name("first");
	pthread_spin_lock(&locks[0].other);
	pthread_spin_lock(&locks[1].lock);
	pthread_spin_unlock(&locks[0].other); /* in another order than they were taken */
	sleave_event("in");
	sleave_event("out");
	pthread_spin_unlock(&locks[1].lock);
	return unused;
}

static void *
second(void *unused)
{
	sleave_thread_name("second");
	sleave_event("comes");
	pthread_spin_lock(&locks[1].lock); /* here */
	sleave_event("in_too");
	pthread_spin_unlock(&locks[1].lock);
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		pthread_spin_init(&locks[i].lock, PTHREAD_PROCESS_PRIVATE);
		pthread_spin_init(&locks[i].other, PTHREAD_PROCESS_PRIVATE);
	}
	SLEAVE_SCHEDULES("both in", "in -> comes, in_too -> out") {
		pthread_create(&threads[0], NULL, first, NULL);
		pthread_create(&threads[1], NULL, second, NULL);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
	}
}
