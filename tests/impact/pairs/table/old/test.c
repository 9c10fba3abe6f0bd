/* A table of functions that is never written changes. */
static int drawn, erased;

static void
draw(int at)
{
	drawn = at;
}

static void
erase(int at)
{
	erased = at;
}

static void (*const actions[])(int) = {draw, draw};

static void
act(int which)
{
	actions[which](which);
}

int
main(void)
{
	act(1);
	erase(2);
	return 0;
}
