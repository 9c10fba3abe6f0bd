/* SLEAVE_MODE=check tells of a broken ordering when it breaks, whatever becomes of the block: here the process is killed. */
/* with: SLEAVE_MODE=check */
/* exits: 137 */
/* says: schedule "broken" was not kept to */
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
