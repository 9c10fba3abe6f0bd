/* A lock on the heap: which one it is is told by the calls that led to its allocation. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;
static int value;

__attribute__((noinline)) void *
make(void)
{
	pthread_mutex_t *made = malloc(sizeof(*made));

	pthread_mutex_init(made, NULL);
	return made;
}

static void *
run(void *unused)
{
	pthread_mutex_lock(lock);
	value++;
	pthread_mutex_unlock(lock);
	return unused;
}

__attribute__((noinline)) void
begin(void)
{
	lock = make();
}

int
main(void)
{
	pthread_t threads[2];

	begin();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(lock);
	return 0;
}
