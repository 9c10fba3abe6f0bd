/*
 * The stack of bug/assertion/aba_stack.c, repaired: the head carries a number that grows with every push.
 * Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int head = 1; /* node + 4 * pushes; node 0: empty */
static atomic_int next[3] = {0, 2, 0};
static atomic_int owner[3];

static int
pop(void)
{
	int top = atomic_load(&head);

	while ((top & 3) && !atomic_compare_exchange_strong(&head, &top, (top & ~3) | atomic_load(&next[top & 3])))
		;
	if (top & 3) {
		assert(owner[top & 3] == 0);
		owner[top & 3] = 1;
	}
	return top & 3;
}

static void
push(int n)
{
	int old = atomic_load(&head);

	owner[n] = 0;
	do
		next[n] = old & 3;
	while (!atomic_compare_exchange_strong(&head, &old, ((old & ~3) + 4) | n));
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
