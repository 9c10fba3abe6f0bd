/* A library of the program in program.c: it has names too, one of which is also a static one of the program. */
int shared_total = 5;
static int hidden = 7;
static int
twice(int x)
{
	return x * 2 + hidden;
}

int library_call(int x);
void *library_place(int which);

int
library_call(int x)
{
	shared_total += x;
	hidden++;
	return twice(x);
}

void *
library_place(int which)
{
	return which ? (void *)&hidden : (void *)&shared_total;
}
