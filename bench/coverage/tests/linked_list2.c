/* A synchronised linked list: 15 threads, 34 calls each. */
#include "collections.h"

static void
work(unsigned number)
{
	(void)number;
	call_all(all_list_calls, COUNT_OF(all_list_calls));
}

int
main(void)
{
	stage_set(linked_list_new);
	crew_run_together(15, work);
	return stage_strike();
}
