/*
 * OpenMP: tasks that depend on each other come in that order, and what they wrote is known.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int
main(void)
{
	int x = 0, y = 0, z = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x) depend(out : y)
		y = x + 1;
#pragma omp task depend(in : x)
		assert(x == 1);
#pragma omp task depend(inout : x) depend(in : y)
		x = y + 1;
#pragma omp task depend(in : x) if (0)
		z = x; /* at once, but not before */
		assert(z == 3);
	}
	assert(x == 3 && y == 2);
	return 0;
}
