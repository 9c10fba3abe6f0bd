/*
 * The arguments and the environment are what they should be, in every execution, although it writes to them.
 */
/* arguments: --verbose 3 x */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int sum;

static void *
add(void *arg)
{
	sum += atoi(arg);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t a, b;

	assert(argc == 4 && strcmp(argv[1], "--verbose") == 0 && strcmp(argv[3], "x") == 0);
	assert(strcmp(argv[0], "./arguments") == 0);
	assert(getenv("PATH") && !getenv("SLEAVE_TEST_PROGRAM"));
	setenv("SLEAVE_TEST_PROGRAM", "1", 1);
	pthread_create(&a, NULL, add, argv[2]);
	pthread_create(&b, NULL, add, argv[2]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	argv[3][0] = 'y';
	assert(sum == 6 && argv[4] == NULL);
	return 0;
}
