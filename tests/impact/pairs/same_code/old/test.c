/* Lines differ, and the code is the same: nothing is impacted. */
static int level;

static void
fill(int much)
{
	level = level + much * 2;
}

int
main(void)
{
	fill(2);
	return level;
}
