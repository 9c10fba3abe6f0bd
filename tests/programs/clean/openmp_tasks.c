/*
 * OpenMP: tasks in tasks, and a wait for one's children.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

static int
fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 2)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int
main(void)
{
	int result = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	result = fib(3);
	assert(result == 2);
	return 0;
}
