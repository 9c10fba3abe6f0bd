/* A block that is left by break: the schedules that were not run are named. */
/* says: schedule "second" was not run: the block was left early */
/* says: schedule "third" was not run: the block was left early */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("first", "a -> b", "second", "a -> b", "third", "a -> b") {
		sleave_event("a");
		sleave_event("b");
		break;
	}
	return 0;
}
