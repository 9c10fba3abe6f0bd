/*
 * OpenMP: the value of the last iteration that has set it, no matter which thread ran it.
 */
/* flags: -fopenmp -Wno-maybe-uninitialized */
/* compiler: gcc */
#include <assert.h>

int
main(void)
{
	int last = -1, section = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for lastprivate(conditional : last) schedule(dynamic)
		for (int i = 0; i < 4; i++)
			if (i < 3)
				last = i;
#pragma omp sections lastprivate(conditional : section)
		{
			section = 1;
#pragma omp section
			section = 2;
		}
	}
	assert(last == 2 && section == 2);
	return 0;
}
