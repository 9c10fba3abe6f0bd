/*
 * OpenMP: regions begun by two threads of the program have teams of their own; critical sections are for all. Then the
 * threads end, and with them their workers.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>
#include <pthread.h>

int count;

static void *
begin(void *own)
{
#pragma omp parallel num_threads(2)
	{
		((int *)own)[omp_get_thread_num()]++;
#pragma omp barrier
		assert(((int *)own)[1 - omp_get_thread_num()] == 1);
#pragma omp critical
		count++;
	}
	return NULL;
}

int
main(void)
{
	int a[2] = {0}, b[2] = {0};
	pthread_t t;

	pthread_create(&t, NULL, begin, a);
	begin(b);
	pthread_join(t, NULL);
	assert(count == 4);
	pthread_exit(NULL);
}
