/* An event without a name does not count. */
#include <sleave.h>

int
main(void)
{
	const char *volatile none = 0;

	SLEAVE_SCHEDULE("a -> b") {
		sleave_event(none);
		sleave_event("a");
		sleave_event_on(none, "object");
		sleave_event("b");
	}
	return 0;
}
