/*
 * What branches, writes, arguments and results depend on: locals computed from globals, parameters, results of calls, members behind
 * pointers, values that meet, switches, locals in memory, and what goes through them.
 */
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	int value, limit;
	unsigned ready : 1;
};

int first, second, third, total;
struct node *head;
static char text[16];

int get(int), get_into(int *);
void put(int, const char *);

int
computed(void)
{
	int sum = first + second, unused = third;

	if (sum > 10)
		return 1;
	(void)unused;
	return 0;
}

void
bounded(int n)
{
	for (int i = 0; i < n; i++)
		total += i;
}

int
called(int n)
{
	if (get(n) < 0)
		return -1;
	return get(n + second);
}

int
member(struct node *node)
{
	while (node->next->value < node->limit)
		node = node->next;
	return node->value;
}

void
meeting(int c)
{
	int value;

	if (c)
		value = first;
	else
		value = second;
	if (value)
		put(value, "x");
}

void
chosen(int c)
{
	int value = c ? first : 7;

	put(value, text);
}

void
both(void)
{
	int ok = first && second;

	if (ok)
		put(1, NULL);
}

int
cases(void)
{
	switch (third) {
	case 1:
		return first;
	case 2:
		return second;
	default:
		return 0;
	}
}

void
derived(struct node *node)
{
	int doubled = node->value * 2;

	put(doubled + 1, text + node->limit);
}

void
copied(struct node *to, const struct node *from)
{
	to->value = from->value + first;
	to->limit = 3;
	*to = *from;
}

void
bit(struct node *node, int on)
{
	node->ready = on;
}

int
in_memory(void)
{
	int value = 0, array[4];

	array[0] = first;
	if (get_into(&value) != 1)
		return 0;
	array[1] = value;
	return array[third & 3];
}

void
own_loop(int n)
{
	int last = 0;

	do {
		last = get(last);
		if (last == third)
			break;
	} while (--n);
	put(last, NULL);
}

void
nested(int rows, int columns)
{
	for (int row = 0; row < rows; row++)
		for (int column = 0; column < columns; column++)
			put(row, NULL);
}

int
atomics(int wanted)
{
	int expected = wanted;

	if (__atomic_compare_exchange_n(&total, &expected, first, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return 1;
	__atomic_store_n(&total, second, __ATOMIC_RELEASE);
	return __atomic_fetch_add(&third, wanted, __ATOMIC_RELAXED);
}

void
filled(int n)
{
	memset(text, n, (size_t)first);
	memcpy(text, head, (size_t)n);
}

int
early(int n)
{
	int result = 1;

	if (first) {
		if (n < 0)
			abort();
		result = 2;
	} else {
		result = 3;
	}
	return result;
}

int
pointed(int which)
{
	int a = first, b = second, *p = which ? &a : &b;

	*p = third;
	return a;
}
