/* Two schedules of one section have one name, so nobody could tell which it was. */
/* aborts */
/* says: schedule "one" is there twice */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("one", "a -> b", "two", "a -> b", "one", "b -> a")
		sleave_event("a");
	return 0;
}
