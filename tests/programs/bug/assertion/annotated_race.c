/*
 * A race that is annotated as benign, but is not: it is not reported as a race, but both orders are tried.
 */
/* expect: counter == 2 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, size_t size, const char *why);

int counter;

static void *
add(void *arg)
{
	counter++;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	AnnotateBenignRaceSized(__FILE__, __LINE__, &counter, sizeof(counter), "what could go wrong");
	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	assert(counter == 2);
	return 0;
}
