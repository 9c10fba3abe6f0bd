/* A constant changes: one that is a variable, one that is none. */
enum { LEAST = 1 };

static const int most = 4;
static int level, uses;

static void
fill(void)
{
	if (level < most)
		level++;
}

static void
drain(void)
{
	if (level > LEAST)
		level--;
}

static int
use(void)
{
	return ++uses;
}

int
main(void)
{
	fill();
	drain();
	return use();
}
