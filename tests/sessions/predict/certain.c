/* A reader whose last read depends on one before it, while another thread writes both members, and a third one of them. */
#include <pthread.h>

static struct state {
	int first, second;
} state;
static volatile int sum;

void
look(void)
{
	int first = state.first;

	if (state.second == 0)
		sum = first + state.second;
}

static void *
reader(void *unused)
{
	look();
	return unused;
}

void
change(void)
{
	state.second = 1;
	state.first = 2;
}

static void *
writer(void *unused)
{
	change();
	return unused;
}

static void *
bystander(void *unused)
{
	state.second = 3;
	return unused;
}

int
main(void)
{
	void *(*const functions[])(void *) = {reader, writer, bystander};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, functions[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
