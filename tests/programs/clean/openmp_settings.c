/*
 * OpenMP: what a program may query. Two threads by default, on any machine.
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include <assert.h>
#include <omp.h>

int
main(void)
{
	omp_sched_t kind;
	int chunk, threads = 0;

	assert(omp_get_max_threads() == 2 && omp_get_num_procs() == 2 && omp_get_num_threads() == 1);
	assert(!omp_in_parallel() && omp_get_thread_num() == 0 && omp_get_team_size(0) == 1);
#pragma omp parallel
#pragma omp atomic
	threads++;
	assert(threads == 2);
	omp_set_num_threads(3);
	assert(omp_get_max_threads() == 3);
#pragma omp parallel
	{
#pragma omp single nowait
		threads = omp_get_num_threads();
		omp_set_num_threads(1); /* of this task only */
	}
	assert(threads == 3 && omp_get_max_threads() == 3);
#pragma omp parallel if (0)
	assert(omp_get_num_threads() == 1 && omp_get_level() == 1 && !omp_in_parallel());
	omp_set_schedule(omp_sched_guided, 4);
	omp_get_schedule(&kind, &chunk);
	assert((kind & ~omp_sched_monotonic) == omp_sched_guided && chunk == 4);
	assert(omp_get_wtime() <= omp_get_wtime());
#pragma omp task final(1)
	assert(omp_in_final());
#pragma omp teams num_teams(2)
	assert(omp_get_num_teams() == 2 && omp_get_team_num() < 2);
	return 0;
}
