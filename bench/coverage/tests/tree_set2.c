/* A synchronised tree set: 3 threads, 26 calls each. */
#include "collections.h"

static void
work(unsigned number)
{
	(void)number;
	call_all(all_sorted_calls, COUNT_OF(all_sorted_calls));
}

int
main(void)
{
	stage_set(tree_set_new);
	crew_run_together(3, work);
	return stage_strike();
}
