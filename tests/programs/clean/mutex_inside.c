/*
 * bug/use-after-free/mutex_inside.c, repaired: the last owner frees the
 * object, when no other thread is about to lock. Nothing is to be found.
 */
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
	last = account->owners == 0;
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
