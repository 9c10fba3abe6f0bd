/*
 * OpenMP: its runtime is not modelled.
 */
/* expect: GOMP_parallel|__kmpc_fork_call */
/* flags: -fopenmp */
#include <pthread.h>
#include <stdio.h>

static void *
worker(void *arg)
{
	return arg;
}

int
main(void)
{
	int sum = 0;
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	return sum != 45;
}
