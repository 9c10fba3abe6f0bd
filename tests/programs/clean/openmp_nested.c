/*
 * OpenMP: a region in each thread of a region.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

int count;

int
main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();

#pragma omp parallel num_threads(2)
		{
			assert(omp_get_level() == 2 && omp_get_num_threads() == 2 && omp_get_team_size(1) == 2);
			assert(omp_get_ancestor_thread_num(1) == outer && omp_get_ancestor_thread_num(0) == 0);
#pragma omp parallel num_threads(2)
			assert(omp_get_num_threads() == 1 && omp_get_active_level() == 2 && omp_get_level() == 3);
#pragma omp atomic
			count++;
		}
	}
	assert(count == 4 && omp_get_level() == 0 && !omp_in_parallel());
	return 0;
}
