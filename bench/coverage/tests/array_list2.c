/* A synchronised array list: 4 threads, 13 calls each. */
#include "collections.h"

static void
work(unsigned number)
{
	(void)number;
	call_all(list_calls, COUNT_OF(list_calls));
}

int
main(void)
{
	stage_set(array_list_new);
	crew_run(4, work);
	return stage_strike();
}
