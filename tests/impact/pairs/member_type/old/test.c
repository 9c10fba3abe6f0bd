/* A member gets a wider type: the code that accesses it is another one. What accesses the member behind it does the same. */
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
