/* A file is renamed, and one line of it changes. */
#include "shelf.h"

static int level;

void
store_fill(int much)
{
	level += much + 1;
}

int
store_level(void)
{
	return level;
}
