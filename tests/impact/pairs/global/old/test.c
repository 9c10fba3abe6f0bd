/* A global variable, an element of an array, and a static variable of a function are accessed on changed lines. */
int total;
static int places[4];

static int
next(int step)
{
	static int last = 1;

	last += step;
	return last;
}

static void
note(int at)
{
	places[at] = next(1);
	total = at;
}

int
main(void)
{
	note(2);
	return 0;
}
