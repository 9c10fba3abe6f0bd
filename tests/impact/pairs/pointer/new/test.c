/* A call by a pointer on a changed line: each function of that type whose address is taken may be called. */
static int drawn, erased, counted, copied;

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

static void
copy(int at)
{
	copied = at;
}

static int
count(int at)
{
	counted = at;
	return at;
}

static void (*const actions[])(int) = {draw, erase};
static int (*const counts[])(int) = {count};

static void
act(int which)
{
	actions[which](which + 1);
}

int
main(void)
{
	act(1);
	copy(1);
	return counts[0](1);
}
