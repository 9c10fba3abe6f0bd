/*
 * OpenMP as gcc compiles it: teams, work sharing, tasks. (clang's is refused by name.)
 */
/* flags: -fopenmp */
/* compiler: gcc */
#include "outcome.h"

#include <omp.h>

static int x, y;

/* 2 threads, one read and one write each: as plain.c has it, 4!/(2!2!) = 6 interleavings. */
static void
racy(void)
{
	x = 0;
#pragma omp parallel num_threads(2)
	{
		int seen = x;

		BARRIER();
		x = seen + 1;
	}
	OUTCOME("x=%d", x);
}

/* The order of the two sections: 2. */
static void
critical(void)
{
	x = 1;
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		x = 2 * x + omp_get_thread_num();
	}
	OUTCOME("x=%d", x);
}

/* Which thread has which of 2 parts: both one each, or one thread both, which must go before the other asks.
 * The orders of the takes (two, and each ends with a failed take, which is no point): m m, m w, w m, w w. */
static void
dynamic(void)
{
	int who[2];

#pragma omp parallel for schedule(dynamic) num_threads(2)
	for (int i = 0; i < 2; i++)
		who[i] = omp_get_thread_num();
	OUTCOME("%d%d", who[0], who[1]);
}

/* By their numbers. */
static void
by_number(void)
{
	int who[3];

	omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel for schedule(runtime) num_threads(2)
	for (int i = 0; i < 3; i++)
		who[i] = omp_get_thread_num();
	OUTCOME("%d%d%d", who[0], who[1], who[2]);
}

/* The first thread takes 2 of 3 iterations, the next one to take has the last. */
static void
guided(void)
{
	int who[3];

#pragma omp parallel for schedule(guided) num_threads(2)
	for (int i = 0; i < 3; i++)
		who[i] = omp_get_thread_num();
	OUTCOME("%d%d%d", who[0], who[1], who[2]);
}

/* Any thread is the first; the other two, which were about to be, come in two orders. */
static void
single(void)
{
	int seen[3];

#pragma omp parallel num_threads(3)
	{
		int who;

#pragma omp single copyprivate(who)
		who = omp_get_thread_num();
		seen[omp_get_thread_num()] = who;
	}
	OUTCOME("%d%d%d", seen[0], seen[1], seen[2]);
}

/* Each section by any thread, as the dynamic loop. */
static void
sections(void)
{
	int a, b;

#pragma omp parallel sections num_threads(2)
	{
		a = omp_get_thread_num();
#pragma omp section
		b = omp_get_thread_num();
	}
	OUTCOME("%d%d", a, b);
}

/* In order, no matter which thread has which: 2 to the power of 3. */
static void
ordered(void)
{
	x = 0;
#pragma omp parallel for ordered schedule(dynamic) num_threads(2)
	for (int i = 1; i < 4; i++) {
#pragma omp ordered
		x = 10 * x + i;
	}
	OUTCOME("%d", x);
}

/* A barrier is no choice: one execution. */
static void
barrier(void)
{
	int a[2], b[2];

#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();

		a[me] = me + 1;
#pragma omp barrier
		b[me] = a[1 - me];
#pragma omp barrier
		a[me] = b[1 - me];
	}
	OUTCOME("%d%d%d%d", a[0], a[1], b[0], b[1]);
}

/* One thread makes two tasks. Each is performed by any thread that is at the barrier. */
static void
tasks(void)
{
	int a, b;

#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
#pragma omp task
			a = omp_get_thread_num();
#pragma omp task
			b = omp_get_thread_num();
		}
	}
	OUTCOME("%d%d", a, b);
}

/* The creator of the task waits for it, and may perform it. */
static void
taskwait(void)
{
	int a = 7, seen;

#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
#pragma omp task shared(a)
			a = omp_get_thread_num();
#pragma omp taskwait
			seen = a;
		}
	}
	OUTCOME("%d", seen);
}

/* The second depends on the first, the third on nothing; x and y tell the order of the third. */
static void
depend(void)
{
	int a = 0;

	x = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
#pragma omp task depend(out : a) shared(a)
			{
#pragma omp critical
				x = 10 * x + 1;
				a = 1;
			}
#pragma omp task depend(in : a) shared(a)
			{
#pragma omp critical
				x = 10 * x + 1 + a;
			}
#pragma omp task
			{
#pragma omp critical
				x = 10 * x + 3;
			}
		}
	}
	OUTCOME("%d", x);
}

/* At once, by its creator; a final task by any thread, but the tasks that it creates are part of it. */
static void
undeferred(void)
{
	int a, b;

#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
#pragma omp task if (0)
			a = omp_get_thread_num();
#pragma omp task final(1)
			{
				b = omp_in_final();
#pragma omp task
				b += 2 * omp_in_final();
			}
		}
	}
	OUTCOME("%d%d", a, b);
}

static void
atomic(void)
{
	int seen[2];

	x = 0;
#pragma omp parallel num_threads(2)
	{
		int before;

#pragma omp atomic capture
		before = x++;
		seen[omp_get_thread_num()] = before;
	}
	OUTCOME("%d%d", seen[0], seen[1]);
}

/* Tried: the attempt may fail. */
static void
test_lock(void)
{
	omp_lock_t lock;

	x = y = 0;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_test_lock(&lock)) {
			x++;
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	OUTCOME("%d", x);
}

/* A barrier that one thread does not reach before it has the lock. */
static void
stuck(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		{
			extern void come_to_barrier(void);

			come_to_barrier();
		}
	}
	OUTCOME("through");
}

void come_to_barrier(void);

void
come_to_barrier(void)
{
#pragma omp barrier
}

int
main(void)
{
	RACY_N(racy, 6, "x=1", "x=2");
	EXPECT_N(critical, 2, "x=5", "x=6");
	EXPECT_N(dynamic, 4, "00", "01", "10", "11");
	EXPECT_N(by_number, 1, "010");
	EXPECT_N(guided, 4, "000", "001", "110", "111");
	EXPECT_N(single, 6, "000", "111", "222");
	EXPECT_N(sections, 4, "00", "01", "10", "11");
	EXPECT_N(ordered, 8, "123");
	EXPECT_N(barrier, 1, "1221");
	EXPECT_N(tasks, 4, "00", "01", "10", "11");
	EXPECT_N(taskwait, 2, "0", "1");
	EXPECT(depend, "123", "132", "312");
	EXPECT_N(undeferred, 2, "03");
	EXPECT_N(atomic, 2, "01", "10");
	EXPECT_N(test_lock, 4, "1", "2");
	EXPECT_FINDING(stuck, "deadlock");
	return done();
}
