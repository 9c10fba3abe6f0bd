/* A constant changes: one that is a variable, one that is none. */
enum { LEAST = 2 };

static const int most = 5;
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
