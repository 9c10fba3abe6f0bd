/* A file is renamed, and one line of it changes. */
#include "store.h"

static int level;

void
store_fill(int much)
{
	level += much;
}

int
store_level(void)
{
	return level;
}
