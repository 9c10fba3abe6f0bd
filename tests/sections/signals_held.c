/*
 * A thread is held, and no thread can move; but a timer runs, and its handler performs the event that is
 * waited for. Later its handler does nothing: after that the schedule can't happen, and the message says so.
 */
/* aborts */
/* says: schedule "in vain" can't happen: no thread can go on */
/* says: main is held at `b` */
#include <signal.h>
#include <sleave.h>
#include <sys/time.h>

static volatile int idle;

static void
handle(int number)
{
	(void)number;
	if (!idle)
		sleave_event("a");
}

int
main(void)
{
	struct itimerval time = {.it_value = {.tv_usec = 20000}};

	signal(SIGALRM, handle);
	SLEAVE_SCHEDULES("alarm", "a -> b", "and in a row", "a -> b, !(b -> a)") {
		setitimer(ITIMER_REAL, &time, NULL);
		sleave_event("b");
	}
	idle = 1;
	SLEAVE_SCHEDULES("in vain", "a -> b") {
		setitimer(ITIMER_REAL, &time, NULL);
		sleave_event("b");
	}
	return 0;
}
