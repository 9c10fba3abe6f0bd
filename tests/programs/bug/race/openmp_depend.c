/*
 * OpenMP: the second task says that it depends on another variable than the one it reads.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on x */
int x, y;

int
main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : y)
		y = x;
	}
	return 0;
}
