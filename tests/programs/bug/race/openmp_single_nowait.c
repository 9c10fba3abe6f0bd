/*
 * OpenMP: what a single thread has made is read by the others without a barrier.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on value */
int value, seen[2];

int
main(void)
{
#pragma omp parallel num_threads(2)
	{
		int me;

#pragma omp single nowait
		value = 1;
		me = value;
#pragma omp atomic
		seen[0] += me;
	}
	return 0;
}
