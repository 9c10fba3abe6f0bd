/* … and it aborts, if the order was not only checked. */
/* aborts */
/* says: schedule "or" was not fulfilled */
/* says: `tken` never occurred; did you mean `taken`? */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("or", "(added || tken) -> x") {
		sleave_event("taken");
		sleave_event("added");
		sleave_event("x");
	}
	return 0;
}
