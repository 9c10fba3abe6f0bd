/*
 * Results and effects of OpenMP that do not depend on the schedule:
 * written to a file, with the real libgomp and under control.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *out;

static void
settings(const char *where)
{
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	fprintf(out, "%s: threads %d of %d, number %d, level %d, active %d, parallel %d, levels %d, nested %d, dynamic %d, schedule %x %d, "
	       "limit %d, final %d, teams %d %d, cancellation %d, ancestors", where,
	       omp_get_num_threads(), omp_get_max_threads(), omp_get_thread_num(), omp_get_level(),
	       omp_get_active_level(), omp_in_parallel(), omp_get_max_active_levels(), omp_get_max_active_levels() > 1,
	       omp_get_dynamic(), (unsigned)kind, chunk, omp_get_thread_limit(), omp_in_final(), omp_get_num_teams(),
	       omp_get_team_num(), omp_get_cancellation());
	for (int level = -1; level <= omp_get_level() + 1; level++)
		fprintf(out, " %d/%d", omp_get_ancestor_thread_num(level), omp_get_team_size(level));
	fprintf(out, "\n");
}

/* Which thread has which iteration of a loop with a static schedule; with a single thread, the shares of the others too. */
static void
loop(int threads, int kind, int chunk, long from, long to, long step)
{
	long who[64], times = 0;

	omp_set_schedule((omp_sched_t)kind, chunk);
	for (int i = 0; i < 64; i++)
		who[i] = -1;
#pragma omp parallel num_threads(threads)
	{
#pragma omp for schedule(runtime)
		for (long i = from; i < to; i += step)
			who[(i - from) / step] = omp_get_thread_num();
#pragma omp for schedule(runtime) reduction(+ : times)
		for (unsigned long long i = (unsigned long long)(to + 100); i > 98; i -= (unsigned long long)step)
			times++;
	}
	fprintf(out, "loop %d %d %d %ld %ld %ld: %ld,", threads, kind, chunk, from, to, step, times);
	for (int i = 0; i < 64 && who[i] >= 0; i++)
		fprintf(out, " %ld", who[i]);
	fprintf(out, "\n");
}

/* In a team of one a single thread performs the tasks, in libgomp's order. */
static void
tasks(void)
{
	int order[64], count = 0;

#pragma omp parallel num_threads(1)
	{
		for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
			order[count++] = i;
#pragma omp taskwait
		for (int i = 4; i < 8; i++)
#pragma omp task firstprivate(i)
			order[count++] = i;
#pragma omp barrier
#pragma omp taskgroup
		for (int i = 8; i < 12; i++)
#pragma omp task firstprivate(i)
			order[count++] = i;
#pragma omp task if (0)
		order[count++] = 12;
	}
	fprintf(out, "tasks:");
	for (int i = 0; i < count; i++)
		fprintf(out, " %d", order[i]);
	fprintf(out, "\n");
}

static void
taskloops(int n, int size)
{
	int parts[64] = {0}, order[64], count = 0;

#pragma omp parallel num_threads(1)
	{
		int last = -2, part = 0;

#pragma omp taskloop grainsize(size) firstprivate(last) shared(part, order, count)
		for (int i = 0; i < n; i++) {
			part += last != i - 1;
			last = i;
			order[count++] = part * 100 + i;
		}
		part = 0;
#pragma omp taskloop num_tasks(size) firstprivate(last) shared(part, parts)
		for (long long i = n; i > 0; i -= 2) {
			part += last != i + 2;
			last = (int)i;
			parts[part]++;
		}
	}
	fprintf(out, "taskloop %d %d:", n, size);
	for (int i = 0; i < count; i++)
		fprintf(out, " %d", order[i]);
	fprintf(out, ";");
	for (int i = 0; i < 64; i++)
		if (parts[i])
			fprintf(out, " %d", parts[i]);
	fprintf(out, "\n");
}

int
main(int argc, char **argv)
{
	int last = 0, value = 0;

	out = fopen(argv[argc - 1], "w");
	if (!out)
		return 2;
	settings("first");
#pragma omp parallel num_threads(3)
	{
		for (int i = 0; i < 3; i++) {
#pragma omp barrier
			if (omp_get_thread_num() == i)
				settings("region");
		}
#pragma omp barrier
		if (omp_get_thread_num() == 2) {
			omp_set_num_threads(5);
#pragma omp parallel
			{
#pragma omp master
				settings("nested");
			}
		}
	}
	settings("after");
#pragma omp parallel
	{
#pragma omp master
		settings("default");
	}
#pragma omp task final(1)
	settings("task");
#pragma omp teams num_teams(2) thread_limit(3)
	settings("teams");
	omp_set_dynamic(1);
	omp_set_nested(1);
	settings("dynamic, nested");
	omp_set_dynamic(0);
	omp_set_max_active_levels(1);
	for (int threads = 1; threads <= 4; threads++)
		for (int chunk = 0; chunk <= 3; chunk++)
			for (int n = 0; n < 12; n += 1 + n / 3)
				loop(threads, omp_sched_static, chunk, -2, n, 1 + n % 3);
	loop(3, omp_sched_auto, 0, 0, 10, 1);
	loop(1, omp_sched_dynamic, 2, 0, 10, 3);
	loop(1, omp_sched_guided, 2, 1, 10, 1);
	tasks();
	for (int n = 1; n < 12; n += 3)
		for (int size = 1; size < 6; size++)
			taskloops(n, size);
#pragma omp parallel for lastprivate(last) schedule(dynamic, 2) num_threads(3)
	for (int i = 0; i < 9; i += 2)
		last = i;
#pragma omp parallel sections reduction(+ : value) num_threads(2)
	{
		value += 1;
#pragma omp section
		value += 10;
#pragma omp section
		value += 100;
	}
	fprintf(out, "last %d, value %d\n", last, value);
	return fclose(out);
}
