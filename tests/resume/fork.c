/*
 * Preloaded into the command: a child of its that is about to become the program stops before it has asked to be killed with its
 * parent, and leaves its number in the file `forked`.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int
prctl(int option, ...)
{
	FILE *file;

	if (option != PR_SET_PDEATHSIG)
		return 0;
	file = fopen("forked.new", "w");
	if (file) {
		fprintf(file, "%d\n", getpid());
		fclose(file);
		rename("forked.new", "forked");
	}
	for (;;)
		pause();
}
