/* A schedule in a missing file: the message names the file and the reason. */
/* aborts */
/* says: schedule "x" is in the file nope.schedule, which can't be read: there is no such file */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("x", "@nope.schedule")
		sleave_event("a");
	return 0;
}
