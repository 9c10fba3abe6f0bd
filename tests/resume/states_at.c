/* Where in the file of a run the tables of its strategy are, and how large they may be. */
#include "search/arena.h"

#include <stdio.h>

int
main(void)
{
	printf("%zu %lu\n", offsetof(struct sl_arena, states), SL_STATE_BYTES);
	return 0;
}
