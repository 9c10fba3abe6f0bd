/*
 * OpenMP: a task uses what its parent has freed without waiting for it.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <stdlib.h>

int
main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		int *p = malloc(sizeof(*p));

		*p = 1;
#pragma omp task
		++*p;
		free(p);
	}
	return 0;
}
