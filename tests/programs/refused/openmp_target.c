/*
 * OpenMP: code for another device is not modelled.
 */
/* expect: GOMP_target_ext */
/* flags: -fopenmp */
/* compiler: gcc */
int
main(void)
{
	int n = 0;

#pragma omp parallel num_threads(2)
	;
#pragma omp target map(tofrom : n)
	n++;
	return n != 1;
}
