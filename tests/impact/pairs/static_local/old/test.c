/* How a static variable of a function begins changes: its code is the same, and it is impacted. */
static int
next(void)
{
	static int last = 1;

	return ++last;
}

int
main(void)
{
	return next();
}
