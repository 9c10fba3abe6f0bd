/* A synchronised hash set: 3 threads, 18 calls each. */
#include "collections.h"

static void
work(unsigned number)
{
	(void)number;
	call_all(all_set_calls, COUNT_OF(all_set_calls));
}

int
main(void)
{
	stage_set(hash_set_new);
	crew_run_together(3, work);
	return stage_strike();
}
