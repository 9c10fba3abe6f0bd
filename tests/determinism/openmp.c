/*
 * OpenMP, all of it: teams of teams, loops of every schedule, sections, single, ordered, locks, tasks.
 */
/* flags: -fopenmp */
#include <assert.h>
#include <omp.h>
#include <stdlib.h>

#define N 6

static int ran[N], sum, tried, sequence[N], order;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static int own;
#pragma omp threadprivate(own)

static int
fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 2)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void
loops(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < N; i++)
			ran[i]++;
#pragma omp for schedule(guided) reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += i;
#pragma omp for schedule(dynamic, 2) ordered
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			sequence[order++] = i;
		}
#pragma omp sections
		{
			ran[0]++;
#pragma omp section
			ran[1]++;
		}
#pragma omp single
		ran[2]++;
		own++;
		omp_set_lock(&lock);
		sum++;
		omp_unset_lock(&lock);
		while (!omp_test_nest_lock(&nest))
			;
		tried++;
		omp_unset_nest_lock(&nest);
	}
}

int
main(void)
{
	int a = 0, result = 0, *block = malloc(sizeof(*block));

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	loops();
	assert(sum == 18 && tried == 3 && order == N && sequence[N - 1] == N - 1);
	*block = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
#pragma omp atomic
			sum++;
#pragma omp critical
			++*block;
#pragma omp barrier
		}
#pragma omp single
		{
			result = fib(4);
#pragma omp taskgroup
			{
#pragma omp task depend(out : a) shared(a)
				a = 1;
#pragma omp task depend(inout : a) shared(a)
				a++;
			}
			assert(a == 2);
#pragma omp taskloop num_tasks(2)
			for (int i = 0; i < N; i++)
				ran[i]++;
		}
	}
	assert(sum == 22 && *block == 4 && result == 3 && ran[N - 1] == 2);
	free(block);
	return 0;
}
