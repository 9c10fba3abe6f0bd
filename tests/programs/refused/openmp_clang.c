/*
 * OpenMP by clang: the message says what to do instead.
 */
/* expect: __kmpc_fork_call: OpenMP by clang. By gcc it is modelled: SLEAVE_CC=gcc */
/* flags: -fopenmp */
/* compiler: clang */
int
main(void)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	return sum != 45;
}
