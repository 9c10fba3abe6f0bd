/*
 * bug/out-of-bounds/before.c, repaired: the second thread finds the stack empty, and pops nothing from it.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *stack;
static int top = 1;
long seen;

static void *
pop(void *unused)
{
	pthread_mutex_lock(&lock);
	if (top) {
		top--;
		seen = stack[top];
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	stack = calloc(4, sizeof(*stack));
	pthread_create(&thread, NULL, pop, NULL);
	pop(NULL);
	pthread_join(thread, NULL);
	free(stack);
	return 0;
}
