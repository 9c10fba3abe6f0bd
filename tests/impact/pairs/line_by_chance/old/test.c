/* A number that is that of its line changes, and so does the line. */
static int level;

__attribute__((noinline)) static void
fill(int much)
{
	level = much;
}

int
main(void)
{
	fill(13);
	return level;
}
