/*
 * One thread sets a variable of the environment while another asks for it: libc moves the environment meanwhile.
 */
/* expect: environ */
#include <pthread.h>
#include <stdlib.h>

static void *
configure(void *arg)
{
	setenv("SLEAVE_TEST_LEVEL", "3", 1);
	return arg;
}

int
main(void)
{
	pthread_t t;
	const char *level;

	pthread_create(&t, NULL, configure, NULL);
	level = getenv("SLEAVE_TEST_LEVEL");
	pthread_join(t, NULL);
	return level && !*level;
}
