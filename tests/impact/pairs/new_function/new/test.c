/* A function is new: all of it is impacted. */
static int level, uses;

static void
fill(void)
{
	level++;
}

static void
use(int more)
{
	uses += more;
}

int
main(void)
{
	fill();
	use(2);
	return uses;
}
