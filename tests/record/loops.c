/*
 * Loops in loops, of one access and of many, over what lies in a row and over what does not, with calls, and with handlers in
 * between that have loops of their own. Each access is there, at its address: the program says which (loops.py).
 * counts: MUTEX_LOCK 300
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 37
#define COLUMNS 53

static long *table, *rows, *twice;
static volatile long from_handler[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int started, done;

static void
handler(int signal)
{
	for (int i = 0; i < 16; i++)
		from_handler[i] = signal;
}

__attribute__((noinline)) static void
set(long *to)
{
	*to = 1;
}

static void
add_columns(void)
{
	for (int r = 0; r < ROWS; r++) {
		long sum = 0;

		for (int c = 0; c < COLUMNS; c++)
			sum += ((volatile long *)table)[c * ROWS + r];
		((volatile long *)rows)[r] = sum;
	}
}

/* The loop in the middle goes round as often for some time, then not. */
static void
multiply(void)
{
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < 20; j++) {
			long sum = 0;

			for (int k = 19 - (j == 13); k >= 0; k--)
				sum += ((volatile long *)table)[i * COLUMNS + k] * ((volatile long *)table)[k * COLUMNS + j];
			((volatile long *)rows)[j] = sum;
		}
}

/* It goes round as often each time, then more often, then less. */
static void
not_as_often(void)
{
	static const int times[] = {40, 40, 40, 40, 55, 40, 40, 40, 40, 33, 40, 40, 40, 40, 170, 40, 40};

	for (int i = 0; i < 17; i++) {
		for (int j = 0; j < times[i]; j++)
			((volatile long *)table)[j] = ((volatile long *)table)[j + 200];
		((volatile long *)rows)[i] = i;
	}
}

static void *
run(void *unused)
{
	add_columns(); /* undisturbed */
	multiply();
	not_as_often();
	started = 1;
	for (int i = 0; i < 3; i++) {
		add_columns();
		multiply();
		not_as_often();
	}
	for (int i = 0; i < 300; i++) {
		pthread_mutex_lock(&mutex);
		for (int c = 0; c < i % 9; c++)
			((volatile long *)table)[c] = 2 * ((volatile long *)table)[c + 1];
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 500; i++) {
		set(&twice[i]);
		set(&twice[999 - i]);
	}
	return unused;
}

static void *
disturb(void *thread)
{
	while (!done)
		if (started)
			pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

int
main(void)
{
	pthread_t thread, other;

	table = calloc(ROWS * COLUMNS, sizeof(*table));
	rows = calloc(ROWS, sizeof(*rows));
	twice = calloc(1000, sizeof(*twice));
	signal(SIGUSR1, handler);
	printf("table %lx %d %d rows %lx twice %lx handler %lx\n", (long)table, ROWS, COLUMNS, (long)rows, (long)twice, (long)from_handler);
	fflush(stdout);
	pthread_create(&thread, NULL, run, NULL);
	pthread_create(&other, NULL, disturb, &thread);
	pthread_join(thread, NULL);
	done = 1;
	pthread_join(other, NULL);
	return 0;
}
