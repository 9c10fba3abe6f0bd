/*
 * OpenMP: any waiting thread may perform a task, not only its creator. In the calm schedule the creator does;
 * the other thread could have taken the task and then never does, which a search by equivalence must not forget.
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
