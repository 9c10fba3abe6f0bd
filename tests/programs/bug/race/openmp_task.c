/*
 * OpenMP: two tasks change the same variable, without a wait in between. In a team of one nothing would happen.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on shared */
int shared;

int
main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		shared++;
#pragma omp task
		shared++;
	}
	return 0;
}
