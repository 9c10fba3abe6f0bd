/* An option of the compiler: no file differs. */
static int level, uses;

static void
fill(void)
{
#ifdef CAREFUL
	if (level < 4)
#endif
		level++;
}

int
main(void)
{
	fill();
	return uses;
}
