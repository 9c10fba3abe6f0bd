/*
 * OpenMP: locks, tried and set; a lock that its task may set again.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

omp_lock_t lock;
omp_nest_lock_t nest;
int a, b;

static void
add(void)
{
	omp_set_nest_lock(&nest);
	b++;
	omp_unset_nest_lock(&nest);
}

int
main(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	{
		while (!omp_test_lock(&lock))
			;
		a++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		add();
		b++;
		omp_unset_nest_lock(&nest);
	}
	assert(a == 2 && b == 4);
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	return 0;
}
