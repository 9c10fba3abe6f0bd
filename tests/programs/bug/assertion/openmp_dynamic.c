/*
 * OpenMP: which thread gets an iteration of a dynamic loop is not defined; the program assumes that each gets some.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

int had[2];

int
main(void)
{
#pragma omp parallel for schedule(dynamic) num_threads(2)
	for (int i = 0; i < 2; i++)
		had[omp_get_thread_num()]++;
	assert(had[0] == 1 && had[1] == 1);
	return 0;
}
