/* A function of a header changes, which is inlined: its lines are impacted wherever they are inlined to. */
#include "step.h"

static int level;

static void
fill(void)
{
	level = step(level);
}

int
main(void)
{
	fill();
	return level;
}
