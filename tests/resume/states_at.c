/* The position of the strategy's tables in the file of a run, and their maximum size. */
#include "search/arena.h"

#include <stdio.h>

int
main(void)
{
	printf("%zu %lu\n", offsetof(struct sl_arena, states), SL_STATE_BYTES);
	return 0;
}
