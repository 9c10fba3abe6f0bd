/*
 * OpenMP: critical sections with and without a name, and the barrier at the end of the region.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int a, b;

int
main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp critical
		a++;
#pragma omp critical(second)
		b += 2;
	}
	assert(a == 3 && b == 6);
	return 0;
}
