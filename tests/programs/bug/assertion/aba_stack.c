/*
 * ABA on a lock-free stack of two nodes: pop reads the head and its successor; meanwhile the other thread pops
 * both and pushes the first one back; the compare-and-swap succeeds and node 2, which is in use, is the head.
 */
/* expect: owner\[n\] == 0 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int head = 1; /* 0: empty */
static atomic_int next[3] = {0, 2, 0};
static atomic_int owner[3];

static int
pop(void)
{
	int n = atomic_load(&head);

	while (n && !atomic_compare_exchange_strong(&head, &n, atomic_load(&next[n])))
		;
	if (n) {
		assert(owner[n] == 0);
		owner[n] = 1;
	}
	return n;
}

static void
push(int n)
{
	int old = atomic_load(&head);

	owner[n] = 0;
	do
		next[n] = old;
	while (!atomic_compare_exchange_strong(&head, &old, n));
}

static void *
other(void *arg)
{
	int a = pop(), b = pop();

	if (a && b)
		push(a);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	pop();
	pop();
	pthread_join(thread, NULL);
	return 0;
}
