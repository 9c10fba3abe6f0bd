/*
 * Calls what is not instrumented (library.c): in which way, the argument says.
 */
#include <pthread.h>
#include <string.h>

void library_locks(void);
void library_allocates(void);
int library_computes(int x);
void *library_thread(void *arg);

static const char *way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

static void *
run(void *arg)
{
	if (strcmp(way, "locks") == 0)
		library_locks();
	if (strcmp(way, "alone") == 0 && !arg)
		library_allocates();
	pthread_mutex_lock(&lock);
	sum += library_computes(2);
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
	pthread_create(&thread, NULL, strcmp(way, "thread") == 0 ? library_thread : run, &sum);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
