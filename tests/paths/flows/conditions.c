// clang -O2: only_data
/* Loops, switches, conditions of several parts, and values that a condition chooses. */
#include <pthread.h>

int a, b, c, mode, turns = 2, steps = 1, wide, low, high, only_data, same, left, bound = 2, never;
volatile int sum;

static void *
reader(void *arg)
{
	int v = 0, n, once;

	if (a && b) // a
		sum = 1;
	if (a || c) // a, c
		sum = 2;
	switch (mode) { // mode
	case 0:
		sum = only_data;
		break;
	case 1:
		sum = never;
		break;
	}
	n = 0;
	do
		sum = only_data;
	while (++n < turns); // turns
	while (steps) // steps
		steps--; // steps
	sum = wide > 2 ? low : only_data; // wide
	v = high ? 1 : 2; // high
	if (v == 1)
		sum = 3;
	for (n = 0; n < bound; n++) // bound
		v += only_data;
	once = left; // left
	sum = v;
	if (once)
		sum = 4;
	sum = same;
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, 0, reader, 0);
	pthread_join(t, 0);
	return 0;
}
