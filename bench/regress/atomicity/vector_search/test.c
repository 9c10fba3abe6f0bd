/*
 * Threads work with one vector; what each of them looks for is there all the time.
 */
#include "vector.h"

#include <assert.h>
#include <stdlib.h>

#define KEPT 12
#define ROUNDS 4

static struct vector *numbers;

/* Adds numbers behind those that are kept, and takes them away. */
static void *
add(void *arg)
{
	static const int some[] = {1001, 1002, 1003};
	int item;

	for (int i = 0; i < ROUNDS; i++) {
		vector_add(numbers, 1000);
		vector_add_all(numbers, some, 3);
		assert(vector_contains(numbers, 1002));
		vector_swap(numbers, 2, 2);
		vector_remove(numbers, 1001);
		vector_insert(numbers, KEPT, 1004);
		vector_remove_at(numbers, KEPT);
		vector_remove(numbers, 1002);
		vector_remove(numbers, 1003);
		vector_remove_last(numbers, &item);
		assert(item == 1000);
	}
	return arg;
}

static void *
look(void *arg)
{
	int copy[KEPT];
	char text[400];

	for (int i = 0; i < ROUNDS; i++) {
		assert(vector_copy_into(numbers, copy, KEPT) == KEPT && copy[KEPT - 1] == KEPT - 1);
		assert(vector_first(numbers) == 0 && vector_last(numbers) >= KEPT - 1);
		assert(vector_index_of(numbers, 3) == 3 && vector_index_from(numbers, 5, 2) == 5);
		assert(vector_occurrences(numbers, i) == 1 && vector_greatest(numbers) >= KEPT - 1);
		assert(vector_sum(numbers) >= KEPT * (KEPT - 1) / 2);
		vector_reserve(numbers, 4 * KEPT);
		assert(vector_room(numbers) >= KEPT && !vector_is_empty(numbers));
		assert(vector_format(numbers, text, sizeof(text)) < sizeof(text));
		vector_set(numbers, 1, 1);
	}
	return arg;
}

static void
look_back(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		assert(vector_last_index_to(numbers, i, KEPT - 1) == (size_t)i);
		assert(vector_get(numbers, (size_t)i) == i);
	}
	assert(vector_last_index_of(numbers, KEPT - 1) == KEPT - 1);
}

int
main(void)
{
	pthread_t adder, looker;

	numbers = vector_new(4, 0);
	for (int i = 0; i < KEPT; i++)
		vector_add(numbers, i);
	pthread_create(&looker, NULL, look, NULL);
	pthread_create(&adder, NULL, add, NULL);
	look_back();
	pthread_join(looker, NULL);
	pthread_join(adder, NULL);
	assert(vector_count(numbers) == KEPT && vector_changes(numbers) > ROUNDS);
	vector_sort(numbers);
	vector_reverse(numbers);
	assert(vector_hash(numbers) && vector_first(numbers) == KEPT - 1);
	vector_free(numbers);
	return 0;
}
