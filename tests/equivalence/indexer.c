/* N threads put four numbers each into a hash table of 128 entries; up to eleven threads never meet. */
#include "common.h"

#define SIZE 128

static atomic_int table[SIZE];

static void *
insert(void *number)
{
	for (int m = 1; m <= 4; m++) {
		int w = m * 11 + (int)(intptr_t)number, h = w * 7 % SIZE, empty = 0;

		while (!atomic_compare_exchange_strong(&table[h], &empty, w)) {
			h = (h + 1) % SIZE;
			empty = 0;
		}
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	start(threads, N, insert);
	join(threads, N);
	return 0;
}
