/*
 * A stack that threads push to with a compare-and-swap in assembly: the value found goes to memory,
 * the operand has a type of another size than the instruction, and what it points to is published.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct entry {
	struct entry *next;
	int payload;
};

static struct entry *top, entries[2];

static bool
swap(void *at, void *old, void *new, void *found)
{
	bool done;

	__asm__ volatile("lock cmpxchgq %3, %0; mov %%rax, %2; setz %1"
			 : "+m"(*(char *)at), "=q"(done), "=m"(*(void **)found)
			 : "q"(new), "a"(old)
			 : "memory", "cc");
	return done;
}

static void *
load(void *at)
{
	void *value;

	__asm__ volatile("movq %1, %0" : "=q"(value) : "m"(*(const char *)at) : "memory");
	return value;
}

static void *
push(void *arg)
{
	struct entry *entry = arg, *seen = load(&top);

	entry->payload = 1;
	do
		entry->next = seen;
	while (!swap(&top, seen, entry, &seen));
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int sum = 0;

	pthread_create(&thread, NULL, push, &entries[0]);
	push(&entries[1]);
	for (struct entry *e = load(&top); e; e = e->next)
		sum += e->payload;
	pthread_join(thread, NULL);
	assert(sum >= 1 && top && top->next && !top->next->next);
	return 0;
}
