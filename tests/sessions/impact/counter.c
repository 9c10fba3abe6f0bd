/* Two threads count, and tell it; an argument makes the program count the other way. */
#include <pthread.h>
#include <stdio.h>

static struct counter {
	pthread_mutex_t lock;
	int value, calls;
} counter = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void
add(int number)
{
	pthread_mutex_lock(&counter.lock);
	counter.value += number;
	counter.calls++;
	pthread_mutex_unlock(&counter.lock);
}

static void *
run(void *number)
{
	add(*(int *)number);
	return NULL;
}

int
main(int argc, char **argv)
{
	int number = argc > 1 ? -1 : 1;
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, run, &number);
	if (number > 0)
		add(number);
	pthread_join(thread, NULL);
	printf("%d\n", counter.value);
	return 0;
}
