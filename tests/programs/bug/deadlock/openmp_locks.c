/*
 * OpenMP: two locks, taken in two orders.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: main and T1 omp worker 1 wait for each other */
#include <omp.h>

omp_lock_t a, b;

int
main(void)
{
	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel sections num_threads(2)
	{
		{
			omp_set_lock(&a);
			omp_set_lock(&b);
			omp_unset_lock(&b);
			omp_unset_lock(&a);
		}
#pragma omp section
		{
			omp_set_lock(&b);
			omp_set_lock(&a);
			omp_unset_lock(&a);
			omp_unset_lock(&b);
		}
	}
	return 0;
}
