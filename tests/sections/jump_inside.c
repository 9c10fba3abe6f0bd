/* A long jump that stays in the function of the section can't be told from one that leaves it: it is refused. */
/* aborts */
/* says: the schedule was lost by a long jump inside the block */
#include <setjmp.h>
#include <sleave.h>

int
main(void)
{
	jmp_buf again;
	volatile int times = 0;

	SLEAVE_SCHEDULE("a -> b") {
		if (!setjmp(again) || times < 3) {
			sleave_event("a");
			times = times + 1;
			longjmp(again, 1);
		}
		sleave_event("b");
	}
	return 0;
}
