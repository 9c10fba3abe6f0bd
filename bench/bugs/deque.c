/*
 * A work-stealing deque: the owner puts and takes at the bottom, a thief takes at the top (after Arora,
 * Blumofe and Plaxton, and Chase and Lev). For the last item both must go through the same compare-and-swap.
 * Here the owner omits it, and takes an item that a thief is about to take: the item is processed twice.
 *
 * usage: deque [repaired]
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ROOM = 16, ITEMS = 4, STEALS = ITEMS, NOTHING = -1 };

static atomic_int top, bottom, slots[ROOM], done[ITEMS];
static bool repaired;

static void
put(int item)
{
	int at = atomic_load(&bottom);

	atomic_store(&slots[at % ROOM], item);
	atomic_store(&bottom, at + 1);
}

static int
take(void)
{
	int at = atomic_load(&bottom) - 1, first;

	atomic_store(&bottom, at);
	first = atomic_load(&top);
	if (first > at) { /* empty */
		atomic_store(&bottom, first);
		return NOTHING;
	}
	int item = atomic_load(&slots[at % ROOM]);

	if (first == at && repaired) {
		if (!atomic_compare_exchange_strong(&top, &first, first + 1))
			item = NOTHING;
		atomic_store(&bottom, at + 1);
	}
	return item;
}

static int
steal(void)
{
	int first = atomic_load(&top);

	if (first >= atomic_load(&bottom))
		return NOTHING;
	int item = atomic_load(&slots[first % ROOM]);

	return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : NOTHING;
}

static void
perform(int item)
{
	if (item != NOTHING)
		assert(atomic_fetch_add(&done[item], 1) == 0);
}

static void *
thief(void *unused)
{
	for (int i = 0; i < STEALS; i++)
		perform(steal());
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t other;

	(void)argv;
	repaired = argc > 1;
	pthread_create(&other, NULL, thief, NULL);
	for (int i = 0; i < ITEMS; i += 2) {
		put(i);
		put(i + 1);
		perform(take());
	}
	for (int i = 0; i < ITEMS / 2; i++)
		perform(take());
	pthread_join(other, NULL);
	return 0;
}
