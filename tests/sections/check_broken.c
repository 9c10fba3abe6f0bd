/* SLEAVE_MODE=check holds nobody, and says where the order was broken first. */
/* with: SLEAVE_MODE=check */
/* aborts */
/* says: schedule "kept" was kept to */
/* says: schedule "broken" was not kept to */
/* says: check_broken.c:13) came too early for `a -> b` */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("kept", "b -> a", "broken", "a -> b, a -> c") {
		sleave_event("b");
		sleave_event("a");
		sleave_event("c");
	}
	return 0;
}
