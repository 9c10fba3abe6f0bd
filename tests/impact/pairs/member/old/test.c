/* A member is written on a changed line: it is impacted wherever it is accessed. */
struct part {
	int size, weight;
};

struct whole {
	struct part part;
	int count;
};

static struct whole one;

static void
set(struct whole *whole, int size)
{
	whole->part.size = size;
	whole->part.weight = 1;
	whole->count++;
}

int
main(void)
{
	set(&one, 2);
	return one.count;
}
