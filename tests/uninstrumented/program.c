/*
 * Calls code that is not instrumented (library.c), in the way that the argument says.
 */
#include <pthread.h>
#include <string.h>

void library_locks(void);
void library_allocates(void);
void library_counts(void);
void assembly_counts(void);
int library_computes(int x);
void *library_thread(void *arg);

static const char *way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;
void (*volatile by_address)(void) = assembly_counts;

/* Instrumented, but without a callback: what it touches is constant, or its own. */
__attribute__((noinline)) static int
look_up(unsigned x)
{
	static const int squares[] = {0, 1, 4, 9};
	int copies[4];

	for (unsigned i = 0; i < 4; i++)
		copies[i] = squares[(i + x) % 4];
	return copies[x % 4];
}

__attribute__((naked, noinline)) static void
naked_counts(void)
{
	__asm__("incl sum(%rip)\n ret");
}
static void *
run(void *arg)
{
	if (strcmp(way, "locks") == 0)
		library_locks();
	if (strcmp(way, "alone") == 0 && !arg)
		library_allocates();
	if (strcmp(way, "counts") == 0)
		library_counts();
	if (strcmp(way, "assembly") == 0)
		assembly_counts();
	if (strcmp(way, "address") == 0)
		by_address();
	if (strcmp(way, "naked") == 0)
		naked_counts();
	pthread_mutex_lock(&lock);
	sum += look_up(3) + library_computes(2);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t thread;

	way = argc > 1 ? argv[1] : "computes";
	if (strcmp(way, "before") == 0)
		library_locks();
	if (strcmp(way, "before") == 0) {
		library_counts();
		assembly_counts();
	}
	pthread_create(&thread, NULL, strcmp(way, "thread") == 0 ? library_thread : run, &sum);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
