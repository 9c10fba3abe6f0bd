/* Through memory: variables, members, arrays, copies of structs, lists. */
#include <pthread.h>

int data, flag, other, taken, chosen, table[4], place, limit = 3, narrow_word;
volatile int sum;
char first_byte, second_byte = 1;
struct node {
	int value, key;
	struct node *next;
} nodes[2], *head = &nodes[0];
struct pair {
	int a, b;
} left, right;

static void *
writer(void *arg)
{
	int d = taken; // taken

	flag = d;
	data = other;
	right.a = place; // place
	first_byte = (char)narrow_word; // narrow_word
	second_byte = (char)other;
	return arg;
}

static void *
reader(void *arg)
{
	int copy = data, total = 0;
	struct node *n;

	sum = copy + other;
	if (flag) // flag
		sum = 1;
	for (int i = 0; i < limit; i++) // limit
		total += table[i];
	sum = total;
	n = head; // head
	while (n && n->key != 1) // n->key
		n = n->next; // n->next
	sum = n ? n->value : 0;
	left = right; // right
	if (left.a == 3) // left.a
		sum = 4;
	if (first_byte) // first_byte
		sum = 5;
	sum = second_byte;
	table[chosen] = 1; // chosen
	if (table[1]) // table[1]
		sum = 6;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, writer, 0);
	pthread_join(a, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(b, 0);
	return 0;
}
