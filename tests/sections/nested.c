/* One section at a time. */
/* aborts */
/* says: schedule "inner" is inside another section */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("outer", "a -> b") {
		SLEAVE_SCHEDULES("inner", "a -> b")
			sleave_event("a");
	}
	return 0;
}
