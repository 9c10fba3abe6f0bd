/*
 * OpenMP: a task is performed by anybody who waits, not always by the one who made it. In the calm schedule it is; the
 * other one could have taken it and then never does, which a search by equivalence must not forget.
 */
/* options: --strategy dpor */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

int
main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
	{
#pragma omp task
		assert(omp_get_thread_num() == 0);
#pragma omp taskwait
	}
	return 0;
}
