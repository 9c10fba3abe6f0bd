/* A program of this directory as a section of a test, with the schedule given in the environment: for real threads. */
#include <sleave.h>
#include <stdlib.h>
#define main body
#include PROGRAM
#undef main
int main(void)
{
	int status = 0;
	SLEAVE_SCHEDULE(getenv("SCHEDULE"))
	{
		status = body();
	}
	return status;
}
