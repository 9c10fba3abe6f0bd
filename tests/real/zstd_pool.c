/*
 * zstd's thread pool by its own tests (tests/poolTests.c), one of them at a time and with two threads; its main() takes all
 * of them with up to four, one after the other.
 *
 * usage: PROGRAM order|wait|reduction|ending
 */
#define main pool_tests_main
#include "poolTests.c"
#undef main

#include <string.h>

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "order"))
		return testOrder(1, 1); /* with more threads it is no order */
	if (!strcmp(name, "wait"))
		return testWait(2, 1);
	if (!strcmp(name, "reduction"))
		return testThreadReduction();
	if (!strcmp(name, "ending"))
		return testAbruptEnding();
	return 2;
}
