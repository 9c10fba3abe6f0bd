/* Functions of libraries: what is seen of them, and what is not. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

char name[8] = "a", text[8] = "12", from[8], to[8], spare[8] = "x";
int values[3] = {3, 1, 2}, length, weight, letter;
volatile int sum;

static int
compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + weight; // *a, *b, weight
}

static void *
reader(void *arg)
{
	if (strcmp(name, "b") == 0) // ?
		sum = 1;
	if (atoi(text) > 3) // ?
		sum = 2;
	memcpy(to, from, (size_t)length); // ?, length
	if (to[0]) // to[0]
		sum = 3;
	if (wctob((wint_t)letter) == 4) // letter
		sum = 4;
	sum = (int)strlen(spare);
	return arg;
}

int
main(void)
{
	pthread_t t;

	length = 4;
	pthread_create(&t, 0, reader, 0);
	pthread_join(t, 0); // t
	qsort(values, 3, sizeof(int), compare);
	return 0;
}
