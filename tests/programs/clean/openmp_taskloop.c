/*
 * OpenMP: a loop made of tasks, with an end of its own; a group that waits for the tasks of its tasks too.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int count[5], a, b;

int
main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskloop num_tasks(3)
		for (int i = 0; i < 5; i++)
			count[i] = i + 1;
		for (int i = 0; i < 5; i++)
			assert(count[i] == i + 1);
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				a = 1;
				b = 1;
			}
		}
		assert(a == 1 && b == 1);
#pragma omp taskloop grainsize(4) nogroup
		for (unsigned long long i = 4; i > 0; i--)
			count[i] = 0;
	}
	assert(count[0] == 1 && count[1] == 0 && count[4] == 0);
	return 0;
}
