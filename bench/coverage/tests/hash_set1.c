/* A synchronised hash set: 21 threads, one call each. */
#include "collections.h"

static void
work(unsigned number)
{
	call_one(set_calls, COUNT_OF(set_calls), number);
}

int
main(void)
{
	stage_set(hash_set_new);
	crew_run(21, work);
	return stage_strike();
}
