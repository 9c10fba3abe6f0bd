/*
 * OpenMP: a barrier, in a function, that is called in a critical section: the others never come to it.
 */
/* flags: -fopenmp */
/* compiler: gcc */
/* expect: deadlock: .*barrier of the team|deadlock: .*critical section */
int count;

static void __attribute__((noinline))
step(void)
{
	count++;
#pragma omp barrier
}

int
main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		step();
	}
	return 0;
}
