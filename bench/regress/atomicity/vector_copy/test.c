/*
 * A thread copies a vector, while others change it. A copy has what the vector had at one moment: the numbers are always in order,
 * and none of them is 0.
 */
#include "vector.h"

#include <assert.h>
#include <stdlib.h>

#define ITEMS 6

static struct vector *numbers;

/* Numbers at the end come and go. */
static void *
change(void *arg)
{
	int item;

	for (int i = 0; i < 2; i++) {
		vector_add(numbers, vector_last(numbers) + 100);
		vector_sort(numbers);
		if (vector_count(numbers) > 3)
			vector_remove_last(numbers, &item);
		if (vector_index_of(numbers, 2) == 1)
			vector_set(numbers, 1, 2);
		vector_trim(numbers);
	}
	vector_remove(numbers, ITEMS);
	return arg;
}

static void *
look(void *arg)
{
	char text[200];

	assert(vector_contains(numbers, 1) && vector_first(numbers) == 1 && vector_get(numbers, 2) == 3);
	assert(vector_last_index_of(numbers, 2) == 1 && vector_occurrences(numbers, 2) == 1);
	assert(vector_sum(numbers) >= 6 && vector_greatest(numbers) >= 3);
	assert(vector_format(numbers, text, sizeof(text)) < sizeof(text));
	assert(!vector_is_empty(numbers) && vector_room(numbers) >= 3);
	vector_reserve(numbers, 10);
	return arg;
}

static void
copy(void)
{
	struct vector *mine = vector_new_of(numbers);
	size_t count = vector_count(mine);

	assert(count >= 3);
	for (size_t i = 0; i < count; i++)
		assert(vector_get(mine, i) > (i ? vector_get(mine, i - 1) : 0));
	vector_free(mine);
}

int
main(void)
{
	pthread_t changer, looker;

	numbers = vector_new(4, 2);
	for (int i = 1; i <= ITEMS; i++)
		vector_add(numbers, i);
	pthread_create(&looker, NULL, look, NULL);
	pthread_create(&changer, NULL, change, NULL);
	copy();
	pthread_join(looker, NULL);
	pthread_join(changer, NULL);
	copy();
	vector_free(numbers);
	return 0;
}
