/* SLEAVE_MODE=check holds no thread, reports where the order broke first, and goes on; the exit status is not 0. */
/* with: SLEAVE_MODE=check */
/* exits: 1 */
/* says: schedule "kept" was followed */
/* says: schedule "broken" was not followed */
/* says: check_broken.c:17) came too early for `a -> b` */
/* says: schedule "after it" was followed */
/* says: schedule "infeasible, and happens" happened, although it is declared infeasible */
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
