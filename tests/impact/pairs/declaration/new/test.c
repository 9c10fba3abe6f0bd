/* How a variable begins changes. */
struct flags {
	unsigned ready : 2;
	unsigned done : 2;
};

static struct flags flags;
static int limit = 4;
static int level;

static int
fill(void)
{
	if (level < limit)
		flags.ready = 1;
	return flags.done;
}

int
main(void)
{
	return fill();
}
