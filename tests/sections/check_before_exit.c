/* SLEAVE_MODE=check: the block is left by exit() with status 0 after its
 * ordering broke. The report appears once, and the exit status is not 0. */
/* with: SLEAVE_MODE=check */
/* exits: 1 */
/* says: schedule "broken" was not followed */
/* says: came too early for `a -> b` */
#include <sleave.h>
#include <stdlib.h>

int
main(void)
{
	SLEAVE_SCHEDULES("broken", "a -> b") {
		sleave_event("b");
		sleave_event("a");
		exit(0);
	}
	return 0;
}
