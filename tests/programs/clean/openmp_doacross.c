/*
 * OpenMP: iterations that wait for others, in one dimension and in two.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int a[5], b[3][3];

int
main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
	for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	assert(a[4] == 4);
#pragma omp parallel for ordered(2) schedule(dynamic) num_threads(2)
	for (int i = 1; i < 3; i++)
		for (int k = 1; k < 3; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
			b[i][k] = b[i - 1][k] + b[i][k - 1] + 1;
#pragma omp ordered depend(source)
		}
	assert(b[2][2] == 5);
	return 0;
}
