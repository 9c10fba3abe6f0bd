/* One line of a function has changed; others use a macro that another macro makes something else of, an enumerator, and a type. */
#include "limits.h"

enum colour { RED, BLUE, GREEN };

struct pair {
	int left, right;
};

static int level, room, paint, many;
static struct pair here, there;

static void
fill(int much)
{
	level = much + 2;
	room = ROOM;
	paint = GREEN;
	here = there;
	many = TWICE(much);
}

int
main(void)
{
	fill(2);
	return level + least();
}
