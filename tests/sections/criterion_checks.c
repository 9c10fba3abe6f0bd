/* Checking in Criterion: no thread is held, and each section reports what it saw. (Criterion itself ignores how a process ended.) */
/* libraries: criterion */
/* with: SLEAVE_MODE=check */
/* says: schedule "kept" was followed */
/* says: schedule "broken" was not followed */
/* says: `second` of main */
#include <criterion/criterion.h>
#include <sleave.h>

Test(checks, both)
{
	SLEAVE_SCHEDULES("kept", "first -> second", "broken", "third -> second") {
		sleave_event("first");
		sleave_event("second");
		sleave_event("third");
	}
}
