/*
 * A random program with events, by its number: two or three threads, each with a few events among locks, semaphores and a
 * shared counter. `random N` is the program; `random N plan` prints a random schedule for it, with || and && and blocks.
 * Its result tells the order of the events.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sleave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 3, STEPS_MAX = 5 };

static unsigned long state;
static int threads, steps[THREADS_MAX], kinds[THREADS_MAX][STEPS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static unsigned trail;

static unsigned
draw(unsigned n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % n;
}

static void
generate(unsigned long seed)
{
	state = seed * 2654435761ul + 1;
	draw(2), draw(2);
	threads = 2 + (int)draw(2);
	for (int t = 0; t < threads; t++) {
		steps[t] = 2 + (int)draw(threads == 2 ? 3 : 2);
		for (int i = 0; i < steps[t]; i++)
			kinds[t][i] = draw(3) ? 0 : 1 + (int)draw(4);
	}
}

static const char *
name(int thread, int step)
{
	static const char *const names[THREADS_MAX][STEPS_MAX] = {
		{"a0", "a1", "a2", "a3", "a4"}, {"b0", "b1", "b2", "b3", "b4"}, {"c0", "c1", "c2", "c3", "c4"}};

	return names[thread][step];
}

static void *
run(void *argument)
{
	int t = (int)(long)argument;

	for (int i = 0; i < steps[t]; i++) {
		switch (kinds[t][i]) {
		case 1:
			pthread_mutex_lock(&lock);
			trail = trail * 5 + (unsigned)t + 1;
			break;
		case 2:
			if (!pthread_mutex_trylock(&lock))
				pthread_mutex_unlock(&lock);
			break;
		case 3:
			sem_post(&semaphore);
			break;
		case 4:
			sem_wait(&semaphore);
			break;
		default:
			sleave_event(name(t, i));
		}
		if (kinds[t][i] == 1)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void
print_atom(void)
{
	int t, i, tries = 0;

	do {
		t = (int)draw((unsigned)threads);
		i = (int)draw((unsigned)steps[t]);
	} while (kinds[t][i] && tries++ < 50);
	printf("%s", name(t, i));
}

static void
print_plan(unsigned long seed)
{
	state = seed * 97 + 5;
	draw(2);
	for (unsigned n = 1 + draw(2), i = 0; i < n; i++) {
		printf("%s", i ? ", " : "");
		for (unsigned m = 1 + draw(2), k = 0; k < m; k++) {
			unsigned block = draw(4) == 0;

			printf("%s%s", k ? draw(2) ? " && " : " || " : "", block ? "[" : "");
			print_atom();
			printf("%s", block ? "]" : "");
		}
		printf(" -> ");
		print_atom();
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];
	unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	generate(seed);
	if (argc > 2 && !strcmp(argv[2], "plan")) {
		print_plan(seed);
		return 0;
	}
	sem_init(&semaphore, 0, 3);
	for (int t = 0; t < threads; t++)
		pthread_create(&ids[t], NULL, run, (void *)(long)t);
	for (int t = 0; t < threads; t++)
		pthread_join(ids[t], NULL);
	return (int)(trail % 200);
}
