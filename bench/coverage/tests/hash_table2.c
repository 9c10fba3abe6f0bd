/* A hash table that threads share: 5 threads, 23 calls each. */
#include "../code/hash_table.h"
#include "crew.h"

enum { CALLS = 23 };
static struct hash_table *first, *second;

static void
double_value(long key, long *value)
{
	(void)key;
	*value *= 2;
}

static bool
is_great(long key, long value)
{
	(void)key;
	return value > 100;
}

static void
make_call(unsigned which, long key)
{
	char text[200];
	size_t count;
	long value;
	switch (which) {
	case 0:
		hash_table_put(first, key, key);
		break;
	case 1:
		hash_table_get(first, key, &value);
		break;
	case 2:
		hash_table_remove(first, key);
		break;
	case 3:
		hash_table_put_all(first, second);
		break;
	case 4:
		MUST(hash_table_size(first) < 1000);
		break;
	case 5:
		hash_table_put_if_absent(first, key, 2);
		break;
	case 6:
		hash_table_contains_key(first, key);
		break;
	case 7:
		free(hash_table_keys(first, &count));
		break;
	case 8:
		hash_table_increment(first, key, 1);
		break;
	case 9:
		hash_table_clear(first);
		break;
	case 10:
		hash_table_contains_value(first, key);
		break;
	case 11:
		hash_table_replace(first, key, 5);
		break;
	case 12:
		free(hash_table_values(first, &count));
		break;
	case 13:
		hash_table_hash(first);
		break;
	case 14:
		hash_table_for_each(first, double_value);
		break;
	case 15:
		hash_table_remove_pair(first, key, key);
		break;
	case 16:
		hash_table_format(first, text, sizeof text);
		break;
	case 17:
		hash_table_is_empty(first);
		break;
	case 18:
		hash_table_get_or(first, key, 0);
		break;
	case 19:
		hash_table_remove_if(first, is_great);
		break;
	case 20:
		hash_table_replace_pair(first, key, key, 7);
		break;
	case 21:
		hash_table_reserve(first, 8);
		break;
	default:
		hash_table_equals(first, second);
	}
}

static void
work(unsigned number)
{
	for (unsigned i = 0; i < CALLS; i++)
		make_call(i, (number + i) % 5);
}

int
main(void)
{
	first = hash_table_new();
	second = hash_table_new();
	for (long i = 0; i < 3; i++) {
		hash_table_put(first, i, i);
		hash_table_put(second, i, i);
	}
	crew_run_together(5, work);
	MUST(hash_table_check(first));
	MUST(hash_table_check(second));
	hash_table_free(first);
	hash_table_free(second);
	return 0;
}
