/* An unknown mode is an error. */
/* with: SLEAVE_MODE=chek */
/* aborts */
/* says: SLEAVE_MODE=chek is not one of free, check, explore */
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
