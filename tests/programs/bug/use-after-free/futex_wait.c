/*
 * A thread waits on a futex that another one may have freed: unlike waking, waiting looks at the word.
 */
/* options: --races=off */
/* expect: ^use after free: T1 .* waits on a futex, at the start of a block of 4 bytes, freed by main */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *
wait(void *arg)
{
	atomic_load(&ready);
	syscall(SYS_futex, arg, FUTEX_WAIT_PRIVATE, 1, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t other;
	int *word = calloc(1, sizeof(*word));

	pthread_create(&other, NULL, wait, word);
	atomic_store(&ready, 1);
	free(word);
	pthread_join(other, NULL);
	return 0;
}
