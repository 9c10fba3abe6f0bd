/*
 * OpenMP: critical sections of different names do not keep each other out.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on count.*main.*T1|data race on count.*T1.*main */
int count;

int
main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp critical(one)
		count++;
#pragma omp section
#pragma omp critical(two)
		count++;
	}
	return 0;
}
