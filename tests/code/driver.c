/* A program of this folder as a section of a test, with the schedule of the environment: for real threads. */
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
