/*
 * Members that are reached through variables of other files, of which there is no debug information here; whole structs, elements of
 * arrays, bit-fields, volatile data.
 */
#include <string.h>

struct inner {
	int x;
};

struct record {
	int first, second;
	unsigned low : 3, high : 5;
	struct inner in;
	char name[8];
};

extern struct record *p, *q;
extern int shared, other;

int
smaller(void)
{
	return p->first < p->second ? p->first : p->second;
}

void
copy(void)
{
	*p = *q;
}

void
copy_part(void)
{
	p->in = q->in;
}

void
zero(void)
{
	memset(p, 0, sizeof(*p));
}

void
name(void)
{
	strcpy(p->name, "abc");
}

int
either(int c)
{
	return c ? shared : other;
}

void
add(void)
{
	shared++;
	p->first += 2;
	p->low = 5;
}

void
element(int i)
{
	p->name[i] = q->name[i + 1];
}

int
twice(volatile int *v)
{
	return *v + *v;
}

void
store(void)
{
	struct record one = {.first = shared};

	*p = one;
}

int
both(void)
{
	return p->first == 1 && p->second == 2;
}
