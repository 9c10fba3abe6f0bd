/* A hash table that threads share: 5 threads, one call each. */
#include "../code/hash_table.h"
#include "crew.h"

static struct hash_table *first, *second;

static void
work(unsigned number)
{
	long value;
	switch (number) {
	case 0:
		hash_table_put(first, 1, 10);
		break;
	case 1:
		hash_table_put_all(first, second);
		break;
	case 2:
		hash_table_get(first, 2, &value);
		break;
	case 3:
		hash_table_remove(first, 2);
		break;
	default:
		hash_table_equals(first, second);
	}
}

int
main(void)
{
	first = hash_table_new();
	second = hash_table_new();
	for (long i = 0; i < 4; i++) {
		hash_table_put(first, i, i);
		hash_table_put(second, i, i);
	}
	crew_run(5, work);
	MUST(hash_table_check(first));
	MUST(hash_table_check(second));
	hash_table_free(first);
	hash_table_free(second);
	return 0;
}
