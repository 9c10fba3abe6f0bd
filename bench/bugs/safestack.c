/*
 * The "safe stack" that Dmitry Vyukov published as a challenge to model checkers: a lock-free list of free
 * cells with a count beside it. Popping takes the link out of the first cell before it moves the head, so that
 * no other thread can pop the same cell; but a cell that is popped, pushed and popped again in between restores
 * the link. It takes three threads and at least five preemptions until two of them hold the same cell.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 2, TRIES = 3, NONE = -1 };

static struct {
	atomic_int next;
	atomic_int holder;
} cells[THREADS];
static atomic_int head, count = THREADS;

static int
pop(void)
{
	while (atomic_load(&count) > 1) {
		int first = atomic_load(&head), link = atomic_exchange(&cells[first].next, NONE);

		if (link == NONE)
			continue; /* another thread is popping it */
		int seen = first;

		if (atomic_compare_exchange_strong(&head, &seen, link)) {
			atomic_fetch_sub(&count, 1);
			return first;
		}
		atomic_exchange(&cells[first].next, link);
	}
	return NONE;
}

static void
push(int cell)
{
	int first = atomic_load(&head);

	do
		atomic_store(&cells[cell].next, first);
	while (!atomic_compare_exchange_strong(&head, &first, cell));
	atomic_fetch_add(&count, 1);
}

static void *
user(void *who)
{
	int me = (int)(long)who;

	for (int i = 0; i < ROUNDS; i++) {
		int cell = NONE;

		for (int tries = 0; cell == NONE && tries < TRIES; tries++)
			cell = pop();
		if (cell == NONE)
			break;
		atomic_store(&cells[cell].holder, me);
		assert(atomic_load(&cells[cell].holder) == me);
		push(cell);
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		atomic_store(&cells[i].next, i + 1 < THREADS ? i + 1 : NONE);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, user, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
