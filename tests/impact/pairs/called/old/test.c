/* A function is called on a changed line: what it accesses itself is impacted, and not what is accessed by those that it calls. */
struct store {
	int level, uses, depth;
};

static struct store store;

static void
deepen(void)
{
	store.depth++;
}

static void
fill(int much)
{
	store.level += much;
	store.uses++;
	deepen();
}

static void
start(int much)
{
	fill(much);
}

int
main(void)
{
	start(2);
	return 0;
}
