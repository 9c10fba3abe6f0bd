/*
 * Two threads split strings of their own with strtok, which has one position for all threads together.
 */
/* expect: state_of_strtok */
#include <pthread.h>
#include <string.h>

static void *
take_apart(void *text)
{
	volatile int words = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		words++;
	return NULL;
}

int
main(void)
{
	static char mine[] = "a b", other[] = "c d";
	pthread_t t;

	pthread_create(&t, NULL, take_apart, other);
	take_apart(mine);
	pthread_join(t, NULL);
	return 0;
}
