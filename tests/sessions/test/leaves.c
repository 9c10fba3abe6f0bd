#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULES("runs", "first -> second", "does not", "second -> first") {
		sleave_event("first");
		sleave_event("second");
		break;
	}
	return 0;
}
