/* SLEAVE_MODE=check reports a broken ordering when it breaks, whatever happens to the block: here the process is killed. */
/* with: SLEAVE_MODE=check */
/* exits: 137 */
/* says: schedule "broken" was not followed */
/* says: came too early for `a -> b` */
#include <signal.h>
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("broken", "a -> b") {
		sleave_event("b");
		raise(SIGKILL);
	}
	return 0;
}
