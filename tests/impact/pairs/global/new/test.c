/* A global variable, an element of an array, and a static variable of a function are accessed on changed lines. */
int total;
static int places[4];

static int
next(int step)
{
	static int last = 1;

	last += step + 1;
	return last;
}

static void
note(int at)
{
	places[at] = next(2);
	total = at + 1;
}

int
main(void)
{
	note(2);
	return 0;
}
