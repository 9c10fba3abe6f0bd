/* A mode that there is not is not taken for another. */
/* with: SLEAVE_MODE=chek */
/* aborts */
/* says: SLEAVE_MODE=chek is none of free, check, explore */
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
