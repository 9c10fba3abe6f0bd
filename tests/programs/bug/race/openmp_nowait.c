/*
 * OpenMP: a loop without a barrier at its end, and another loop that needs its results.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on a\[ */
int a[4], b[4];

int
main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for nowait
		for (int i = 0; i < 4; i++)
			a[i] = i;
#pragma omp for
		for (int i = 0; i < 4; i++)
			b[i] = a[3 - i];
	}
	return 0;
}
