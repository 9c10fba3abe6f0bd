/*
 * The lock lies in the object that it protects, and the thread that unlocks
 * it first frees the object: the other thread locks a mutex in freed memory.
 */
/* expect: ^use after free: .* block of [0-9]+ bytes, freed by */
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	int owners, pad;
};

static struct account *account;

static void *
leave(void *unused)
{
	int last;

	pthread_mutex_lock(&account->lock);
	account->owners--;
	last = 1; /* instead of: account->owners == 0 */
	pthread_mutex_unlock(&account->lock);
	if (last)
		free(account);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	account = calloc(1, sizeof(*account));
	account->owners = 2;
	pthread_create(&thread, NULL, leave, NULL);
	leave(NULL);
	pthread_join(thread, NULL);
	return 0;
}
