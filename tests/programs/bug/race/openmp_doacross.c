/*
 * OpenMP: an iteration waits for the one before the one that it needs.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on a\[ */
int a[5];

int
main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
	for (int i = 2; i < 5; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	return 0;
}
