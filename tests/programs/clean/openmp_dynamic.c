/*
 * OpenMP: dynamic and guided loops perform each iteration once, up and down, and know which was the last.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

#define N 3
int count[N];

int
main(void)
{
	int last = -1;

#pragma omp parallel for schedule(dynamic) lastprivate(last) num_threads(2)
	for (int i = 0; i < N; i++) {
		count[i]++;
		last = i;
	}
	assert(last == N - 1);
#pragma omp parallel for schedule(guided) num_threads(3)
	for (int i = N - 1; i >= 0; i--)
		count[i]++;
	for (int i = 0; i < N; i++)
		assert(count[i] == 2);
	return 0;
}
