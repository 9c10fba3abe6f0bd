/*
 * OpenMP: a sum that all threads add to, without reduction.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: data race on sum */
int sum;

int
main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		sum += i;
	return 0;
}
