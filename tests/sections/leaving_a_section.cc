/* A section is left by break, return, goto, an exception, a long jump: nothing of it is left, and held threads continue. */
#include <atomic>
#include <cassert>
#include <csetjmp>
#include <sleave.h>
#include <stdexcept>
#include <thread>

static std::atomic<int> passed;
static std::jmp_buf out;

/* It is held until the section is left. */
static void
held()
{
	sleave_event("held");
	passed++;
}

/* Those that end the section before its schedule is fulfilled do so by a failure. */
static void
throws()
{
	std::thread thread(held);
	try {
		SLEAVE_SCHEDULE("never -> held") {
			struct joined {
				~joined() { assert(sleave_schedule_name()); }
			} inner;
			throw std::runtime_error("failed");
		}
	} catch (const std::runtime_error &) {
		assert(!sleave_schedule_name());
	}
	thread.join();
}

static std::thread *thread;

/* Like an assertion of a test framework that has called us. */
static void
fails()
{
	SLEAVE_SCHEDULE("never -> held") {
		thread = new std::thread(held);
		longjmp(out, 1);
	}
}

static void
jumps()
{
	if (!setjmp(out))
		fails();
	assert(!sleave_schedule_name());
	thread->join();
	delete thread;
}

static int
returns()
{
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		return 5;
	}
	return 0;
}

int
main()
{
	int runs = 0;

	throws();
	jumps();
	assert(passed == 2);
	assert(returns() == 5 && !sleave_schedule_name());
	SLEAVE_SCHEDULES("one", "a -> b", "two", "a -> b") {
		sleave_event("a");
		sleave_event("b");
		runs++;
		break;
	}
	assert(runs == 1 && !sleave_schedule_name());
	SLEAVE_SCHEDULES("one", "a -> b", "two", "a -> b") {
		sleave_event("a");
		sleave_event("b");
		runs++;
		continue;
	}
	assert(runs == 3);
	SLEAVE_SCHEDULE("a -> b") {
		sleave_event("a");
		sleave_event("b");
		goto end;
	}
	return 1;
end:
	assert(!sleave_schedule_name());
	return 0;
}
