/*
 * OpenMP: one thread does it, and what it has read is handed to the others; what is threadprivate stays from one region to
 * the next.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

int done;
int mine;
#pragma omp threadprivate(mine)

int
main(void)
{
	int value;

#pragma omp parallel num_threads(3) private(value)
	{
#pragma omp single copyprivate(value)
		{
			done++;
			value = 7;
		}
		assert(value == 7);
		mine = omp_get_thread_num() + 10;
	}
#pragma omp parallel num_threads(3)
	{
		assert(mine == omp_get_thread_num() + 10);
#pragma omp single
		done++;
	}
	mine = 5;
#pragma omp parallel num_threads(2) copyin(mine)
	assert(mine == 5);
	assert(done == 2);
	return 0;
}
