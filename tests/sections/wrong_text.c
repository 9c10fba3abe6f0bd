/* An invalid schedule: the place, and what was expected. */
/* aborts */
/* says: schedule "wrong" is wrong: line 2, column 8: */
/* says: c -> , d */
/* says:        ^ */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("wrong", "a -> b,\n  c -> , d")
		sleave_event("a");
	return 0;
}
