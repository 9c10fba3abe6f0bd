/*
 * An index that is decremented once too often: a read in front of the block.
 */
/* expect: ^out of bounds: .* reads 8 bytes of stack\[.*\], 8 bytes before a block of 32 bytes, allocated at .*before.c */
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
	top--;
	seen = stack[top];
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
