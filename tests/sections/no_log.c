/* A log that can't be written is an error. */
/* with: SLEAVE_LOG=/nonexistent/log */
/* aborts */
/* says: the log that SLEAVE_LOG asks for, /nonexistent/log, can't be written: there is no such file */
#include <sleave.h>

int
main(void)
{
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
	}
	return 0;
}
