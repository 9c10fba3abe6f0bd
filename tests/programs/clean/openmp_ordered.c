/*
 * OpenMP: ordered sections run in the order of the iterations, no matter which thread has which.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int next, done[6];

int
main(void)
{
#pragma omp parallel for ordered schedule(dynamic) num_threads(2)
	for (int i = 0; i < 3; i++) {
		done[i] = i;
#pragma omp ordered
		assert(next++ == i);
	}
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
	for (int i = 5; i >= 0; i--) {
#pragma omp ordered
		assert(next++ == 3 + 5 - i);
	}
	assert(next == 9);
	return 0;
}
