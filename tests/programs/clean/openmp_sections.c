/*
 * OpenMP: each section is performed once, by any thread.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int a, b, c, d, e;

int
main(void)
{
#pragma omp parallel sections num_threads(2)
	{
		a++;
#pragma omp section
		b++;
#pragma omp section
		c++;
	}
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
			d = a + b;
#pragma omp section
			e = c;
		}
		assert(d == 2 && e == 1); /* after the barrier */
	}
	assert(a == 1 && b == 1 && c == 1);
	return 0;
}
