/*
 * A lost deposit, by threads whose names would end a line and clear a terminal, and a message that does the same: both are
 * shown with escapes.
 */
/* options: --races=off */
/* expect: ^assertion failed: .*one.{2,4}n.{2,4}x1b\[2Jtwo.* */
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>

static int balance;

static void *
deposit(void *arg)
{
	pthread_setname_np(pthread_self(), "a\nb\033[2Jc");
	balance += 100;
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (balance != 200)
		__assert_fail("one\n\033[2Jtwo", __FILE__, __LINE__, __func__);
	return 0;
}
