/*
 * setjmp and sigsetjmp in two threads, over several frames, with a lock held on the way. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void
fail(sigjmp_buf *where, int depth)
{
	if (depth)
		fail(where, depth - 1);
	pthread_mutex_lock(&lock);
	siglongjmp(*where, 5);
}

static void *
worker(void *arg)
{
	jmp_buf outer;
	sigjmp_buf inner;
	int how = sigsetjmp(inner, 1);

	if (how == 0)
		fail(&inner, 10);
	assert(how == 5);
	sum++;
	pthread_mutex_unlock(&lock);
	if (setjmp(outer) == 0)
		longjmp(outer, 0);
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
	return sum != 2;
}
