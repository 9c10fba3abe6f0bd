/*
 * OpenMP: a lock is unset by a thread that has not set it.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: unlocks lock, which main holds */
#include <omp.h>

omp_lock_t lock;

int
main(void)
{
	omp_init_lock(&lock);
	omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		omp_unset_lock(&lock);
	return 0;
}
