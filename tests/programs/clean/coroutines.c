/*
 * Coroutines made with makecontext inside of two threads, which take a lock and jump with setjmp on their own stacks.
 * Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static __thread ucontext_t caller, coroutine;
static __thread int turns;

static void
jump(jmp_buf *where)
{
	longjmp(*where, 3);
}

static void
generate(void)
{
	jmp_buf here;

	for (turns = 0; turns < 2; turns++) {
		if (setjmp(here) == 0)
			jump(&here);
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
		swapcontext(&coroutine, &caller);
	}
}

static void *
worker(void *arg)
{
	const size_t size = 64 * 1024;
	char *stack = malloc(size);

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = size;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, generate, 0);
	for (int i = 0; i < 3; i++)
		swapcontext(&caller, &coroutine);
	assert(turns == 2);
	free(stack);
	return arg;
}

int
main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum != 4;
}
