/*
 * OpenMP: a nestable lock belongs to a task. While its task waits the thread performs another task, which can't take it.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <omp.h>

omp_nest_lock_t lock;

int
main(void)
{
	omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_set_nest_lock(&lock);
#pragma omp task
		{
			omp_set_nest_lock(&lock);
			omp_unset_nest_lock(&lock);
		}
#pragma omp taskwait
		omp_unset_nest_lock(&lock);
	}
	return 0;
}
