/* exit(0) in the middle of a section does not make a schedule that was not fulfilled pass. */
/* aborts */
/* says: schedule "unfinished" was not fulfilled when the process ended */
/* says: `b` never occurred */
#include <sleave.h>
#include <stdlib.h>

int
main(void)
{
	SLEAVE_SCHEDULES("unfinished", "a -> b") {
		sleave_event("a");
		exit(0);
	}
}
