/*
 * OpenMP: reductions that tasks take part in are not modelled.
 */
/* expect: GOMP_taskgroup_reduction_register */
/* flags: -fopenmp */
/* compiler: gcc */
int
main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	{
#pragma omp task in_reduction(+ : sum)
		sum++;
	}
	return sum != 1;
}
