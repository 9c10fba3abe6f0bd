/*
 * OpenMP: loops whose schedule is set at run time, with unsigned counters; two loops of a region at the same time.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

#define N 3
int count[N], more[N], most[N];

int
main(void)
{
	unsigned long long last = 99;

	omp_set_schedule(omp_sched_dynamic, 2);
#pragma omp parallel for schedule(runtime) lastprivate(last) num_threads(2)
	for (unsigned long long i = 0; i < 2 * N; i += 2) {
		count[i / 2]++;
		last = i;
	}
	assert(last == 2 * N - 2);
	omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(runtime) nowait
		for (int i = 0; i < N; i++)
			count[i]++;
#pragma omp for schedule(nonmonotonic : guided) nowait
		for (unsigned long long i = N; i > 0; i--)
			more[i - 1]++;
#pragma omp for schedule(dynamic, 2)
		for (long i = -N; i < 0; i++)
			most[i + N]++;
	}
	for (int i = 0; i < N; i++)
		assert(count[i] == 2 && more[i] == 1 && most[i] == 1);
	return 0;
}
