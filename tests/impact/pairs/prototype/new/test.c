/* What a prototype names is no variable, and what the type of a pointer to a function names is no member. */
#include <pthread.h>

#include "box.h"

static int count;
static struct box box;

void
take(int *from)
{
	box.value += *from;
	count++;
}

static void *
run(void *unused)
{
	take(&count);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return box.get != NULL;
}
