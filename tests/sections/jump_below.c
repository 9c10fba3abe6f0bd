/* The code under test jumps within functions that the block calls: the section continues. */
#include <assert.h>
#include <setjmp.h>
#include <sleave.h>

static jmp_buf back;

static __attribute__((noinline)) int
parse(int depth)
{
	sleave_event("deep");
	if (depth)
		longjmp(back, 1);
	return 0;
}

static __attribute__((noinline)) int
tries(void)
{
	if (setjmp(back))
		return 7;
	return parse(5);
}

int
main(void)
{
	SLEAVE_SCHEDULE("deep -> done") {
		assert(tries() == 7);
		assert(sleave_schedule_name());
		sleave_event("done");
	}
	return 0;
}
