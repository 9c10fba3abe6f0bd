/* CPU-bound, with no regular strides: two threads sort numbers, each its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT (1 << 18)

static long rounds;

static void
sort(int *numbers, long count)
{
	while (count > 1) {
		int middle = numbers[count / 2];
		long low = 0, high = count - 1;

		while (low <= high) {
			while (numbers[low] < middle)
				low++;
			while (numbers[high] > middle)
				high--;
			if (low <= high) {
				int number = numbers[low];

				numbers[low++] = numbers[high];
				numbers[high--] = number;
			}
		}
		sort(numbers, high + 1);
		numbers += low;
		count -= low;
	}
}

static void *
run(void *argument)
{
	int *numbers = calloc(COUNT, sizeof(*numbers));
	unsigned state = (unsigned)(long)argument + 1;

	for (long r = 0; r < rounds; r++) {
		for (int i = 0; i < COUNT; i++)
			numbers[i] = (int)((state = state * 1664525u + 1013904223u) >> 8);
		sort(numbers, COUNT);
	}
	return numbers;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	void *numbers;

	rounds = argc > 1 ? atol(argv[1]) : 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &numbers);
		printf("%d\n", ((int *)numbers)[COUNT / 2]);
		free(numbers);
	}
	return 0;
}
