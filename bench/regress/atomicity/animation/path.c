#include "scene.h"

#include <stdlib.h>

static void
add(struct path *p, int dx, int dy)
{
	if (p->count == 16)
		abort();
	p->steps[p->count++] = (struct point){dx, dy};
}

void
path_line(struct path *p, int dx, int dy, int steps)
{
	*p = (struct path){.count = 0};
	for (int i = 0; i < steps; i++)
		add(p, dx, dy);
}

/* There and back again. */
void
path_arc(struct path *p, int width, int height)
{
	*p = (struct path){.count = 0};
	add(p, width, height);
	add(p, width, -height);
	add(p, -width, -height);
	add(p, -width, height);
}

void
path_join(struct path *p, const struct path *other)
{
	for (int i = 0; i < other->count; i++)
		add(p, other->steps[i].x, other->steps[i].y);
}

int
path_next(struct path *p, struct point *step)
{
	if (p->next == p->count)
		return 0;
	*step = p->steps[p->next++];
	return 1;
}
