/* SLEAVE_MODE=check holds nobody, says where the order was broken first, and goes on; the status of the process tells. */
/* with: SLEAVE_MODE=check */
/* exits: 1 */
/* says: schedule "kept" was kept to */
/* says: schedule "broken" was not kept to */
/* says: check_broken.c:17) came too early for `a -> b` */
/* says: schedule "after it" was kept to */
/* says: schedule "infeasible, and happens" happened, though it is said to be infeasible */
/* says: at the end */
#include <sleave.h>
#include <stdio.h>

int
main(void)
{
	SLEAVE_SCHEDULES("kept", "b -> a", "broken", "a -> b, a -> c") {
		sleave_event("b");
		sleave_event("a");
		sleave_event("c");
	}
	SLEAVE_SCHEDULES("after it", "b -> a") {
		sleave_event("b");
		sleave_event("a");
	}
	SLEAVE_INFEASIBLE("infeasible, and does not happen", "a -> b") {
		sleave_event("b");
		sleave_event("a");
	}
	SLEAVE_INFEASIBLE("infeasible, and happens", "b -> a") {
		sleave_event("b");
		sleave_event("a");
	}
	fputs("at the end\n", stderr);
	return 0;
}
