/* Two schedules of one section have the same name, so they could not be told apart. */
/* aborts */
/* says: schedule "one" appears twice */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("one", "a -> b", "two", "a -> b", "one", "b -> a")
		sleave_event("a");
	return 0;
}
