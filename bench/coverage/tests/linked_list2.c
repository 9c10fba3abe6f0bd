/* A synchronised linked list: 15 threads, 6 calls each. */
#include "collections.h"

static void
work(unsigned number)
{
	call_all(list_calls, COUNT_OF(list_calls), number, 6);
}

int
main(void)
{
	stage_set(linked_list_new);
	crew_run(15, work);
	return stage_strike();
}
