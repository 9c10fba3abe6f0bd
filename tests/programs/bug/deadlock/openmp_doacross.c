/*
 * OpenMP: an iteration that does not report that it is done, and one that waits for it.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: waits for its turn in the ordered loop */
int a[4];

int
main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
	for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
		a[i] = a[i - 1] + 1;
		if (i != 2) {
#pragma omp ordered depend(source)
		}
	}
	return 0;
}
