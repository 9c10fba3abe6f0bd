/* A line is removed: the one behind it is impacted, and what it accessed. */
static int level, uses, limit;

static void
fill(void)
{
	limit = 3;
	level++;
}

int
main(void)
{
	fill();
	return uses;
}
