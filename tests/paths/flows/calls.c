/* Through parameters, results, and what a call leaves in a variable of its caller. */
#include <pthread.h>

int flag, other, more, given, left_there, deep = 3, only_data, chosen, passed, handed, quiet;

volatile int sum;

static int
get_flag(void)
{
	return flag; // flag
}

static void
store(int *to, int value)
{
	*to = value;
}

static int
is_big(int v)
{
	if (v > 2)
		return 1;
	return 0;
}

static int __attribute__((noinline))
first_of(int a, int b)
{
	sum = b;
	return a;
}

static int __attribute__((noinline))
depth(int n)
{
	if (n > 2)
		return depth(n - 1) + 1;
	return n;
}

static void __attribute__((noinline))
acts_on(int *p)
{
	if (*p) // *p
		sum = 4;
}

static void
one(int v)
{
	sum = v;
}

static void
two(int v)
{
	if (v)
		sum = 2;
}

void (*actions[2])(int) = {one, two};

static void *
writer(void *arg)
{
	left_there = passed; // passed
	return arg;
}

static void *
reader(void *arg)
{
	int local;

	if (get_flag())
		sum = 1;
	store(&local, given); // given
	if (local > 1) // local
		sum = 6;
	sum = is_big(more); // more
	if (first_of(other, only_data)) // other
		sum = 3;
	sum = depth(deep); // deep
	acts_on(&left_there);
	actions[chosen](handed); // actions[chosen], chosen, handed
	sum = get_flag() + quiet;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	chosen = 1;
	pthread_create(&a, 0, writer, 0);
	pthread_join(a, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(b, 0);
	return 0;
}
