/* A function is new: all of it is impacted. */
static int level, uses;

static void
fill(void)
{
	level++;
}

int
main(void)
{
	fill();
	return uses;
}
