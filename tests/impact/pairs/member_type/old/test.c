/* A member gets a wider type: the code that accesses it is another one, and that of the member behind it. */
struct box {
	int level;
	int limit;
};

static struct box box;

static void
fill(void)
{
	box.level++;
}

static int
limited(void)
{
	return box.limit;
}

int
main(void)
{
	fill();
	return limited();
}
