/* Two threads ask for the name, and add nothing. */
#include "store.h"

#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;

static void *
ask(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += strlen(store_name());
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (argc > 5)
		store_add(1);
	return sum == 10 ? 0 : 1;
}
