/* Checking in Criterion: nobody is held, and each section tells what it saw. (Criterion itself does not look at how a process ended.) */
/* libraries: criterion */
/* with: SLEAVE_MODE=check */
/* says: schedule "kept" was kept to */
/* says: schedule "broken" was not kept to */
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
