/*
 * OpenMP: each thread has its own sum, and these are added one at a time.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>

int
main(void)
{
	int sum = 0, product = 1;
	double most = 0;

#pragma omp parallel for reduction(+ : sum) reduction(* : product) reduction(max : most) num_threads(3)
	for (int i = 1; i <= 6; i++) {
		sum += i;
		product *= i;
		most = most < i ? i : most;
	}
	assert(sum == 21 && product == 720 && most == 6);
	return 0;
}
