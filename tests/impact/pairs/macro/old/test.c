/* A macro of a header changes: the functions that use it are impacted, although their text is the same. */
#include "limits.h"

static int level, uses;

static void
fill(void)
{
	if (level < MOST)
		level++;
}

static void
drain(void)
{
	if (level > LEAST)
		level--;
	uses++;
}

int
main(void)
{
	fill();
	drain();
	return uses;
}
