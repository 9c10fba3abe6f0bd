/* One line of a function has changed, and an option makes other code of another one. */
static int level, uses;

static void
fill(int much)
{
	level = much + 2;
#ifdef CAREFUL
	uses++;
#endif
}

int
main(void)
{
	fill(2);
	return uses;
}
