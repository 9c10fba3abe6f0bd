/* An event that never occurs, because its name is misspelt, is an error at the end, with the nearest name that did occur. */
/* aborts */
/* says: schedule "typo" was not fulfilled */
/* says: `startingTkae` never occurred; did you mean `startingTake`? */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("typo", "finishedAdd -> startingTkae") {
		sleave_event("finishedAdd");
		sleave_event("startingTake");
	}
	return 0;
}
