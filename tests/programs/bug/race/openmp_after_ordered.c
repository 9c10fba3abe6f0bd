/*
 * OpenMP: what follows the ordered section in an iteration is not in order with the next one.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on last */
int last, sum;

int
main(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		sum += i;
		last = i;
	}
	return 0;
}
