/*
 * OpenMP: a function with a barrier is called in a critical section: the other threads never reach the barrier.
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
