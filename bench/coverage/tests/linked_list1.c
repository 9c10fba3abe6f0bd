/* A synchronised linked list: 26 threads, one call each. */
#include "collections.h"

static void
work(unsigned number)
{
	call_one(list_calls, COUNT_OF(list_calls), number);
}

int
main(void)
{
	stage_set(linked_list_new);
	crew_run(26, work);
	return stage_strike();
}
