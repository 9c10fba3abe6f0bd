/*
 * OpenMP: all forms of `omp atomic` are atomic, also if the processor has no instruction for them.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int count, last;
double sum;
long double wide;

int
main(void)
{
	int seen[2] = {0, 0};

#pragma omp parallel num_threads(2)
	{
		int before;

#pragma omp atomic capture
		before = count++;
		seen[before] = 1; /* a different one each */
#pragma omp atomic
		sum += 0.5;
#pragma omp atomic
		wide *= 2;
#pragma omp atomic write
		last = before;
	}
	assert(count == 2 && seen[0] && seen[1] && sum == 1 && wide == 0 && last >= 0 && last <= 1);
	return 0;
}
