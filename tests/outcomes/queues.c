/*
 * POSIX message queues: in order of priority, bounded, with time limits; who is notified of a message, and when.
 */
#include "outcome.h"
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdatomic.h>

static mqd_t q ALONE;
static int r1 ALONE, r2 ALONE, data ALONE;
static char order[8] ALONE;

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))

static void make(long room, int flags)
{
	struct mq_attr attr = {.mq_maxmsg = room, .mq_msgsize = 4};

	q = mq_open("/sleave-outcomes", O_RDWR | O_CREAT | O_EXCL | flags, 0600, &attr);
	MUST(q >= 0 && !mq_unlink("/sleave-outcomes"));
}
THREAD(sends_low) { data = 42; MUST(!mq_send(q, "l", 1, 1)); }
THREAD(sends_high) { MUST(!mq_send(q, "h", 1, 9)); }
THREAD(receives_two)
{
	char text[4];
	unsigned priority;

	for (int i = 0; i < 2; i++) {
		MUST(mq_receive(q, text, 4, &priority) == 1);
		order[i] = text[0];
		r1 += (int)priority;
	}
}
static void urgency(void)
{
	make(4, 0);
	RUN(sends_low, sends_high, receives_two);
	OUTCOME("%s %d", order, r1);
}

THREAD(receives_one) { char text[4]; MUST(mq_receive(q, text, 4, NULL) == 1); r1 = data; }
static void ordered(void)
{
	make(4, 0);
	RUN(sends_low, receives_one);
	OUTCOME("%d", r1);
}
static void nobody_sends(void)
{
	make(4, 0);
	RUN(receives_one);
	OUTCOME("received");
}
THREAD(sends_two) { MUST(!mq_send(q, "a", 1, 0) && !mq_send(q, "b", 1, 0)); }
static void full(void)
{
	make(1, 0);
	RUN(sends_two);
	OUTCOME("sent");
}
static void makes_room(void)
{
	make(1, 0);
	RUN(sends_two, receives_two);
	OUTCOME("%s", order);
}

THREAD(tries)
{
	char text[4];

	r1 = (int)mq_receive(q, text, 4, NULL);
	r2 = r1 < 0 ? errno : 0;
}
static void nonblocking(void)
{
	make(1, O_NONBLOCK);
	RUN(sends_low, tries);
	OUTCOME("%d %d", r1, r2 == EAGAIN);
}
THREAD(waits_a_while)
{
	char text[4];
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 5;
	r1 = (int)mq_timedreceive(q, text, 4, NULL, &limit);
	r2 = r1 < 0 ? errno : 0;
}
static void with_limit(void)
{
	make(1, 0);
	RUN(sends_low, waits_a_while);
	OUTCOME("%d %d", r1, r2 == ETIMEDOUT);
}

/* notified by a thread, once, and only if the queue was empty */
static atomic_int told ALONE;
static void tells(union sigval value) { told += value.sival_int; }
static void by_thread(void)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tells, .sigev_value.sival_int = 3};

	make(4, 0);
	MUST(!mq_notify(q, &how));
	MUST(mq_notify(q, &how) < 0 && errno == EBUSY);
	RUN(sends_low, sends_high);
	while (!told)
		sched_yield();
	OUTCOME("%d", told);
}
static void by_signal(void)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
	siginfo_t info = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	make(4, 0);
	MUST(!mq_notify(q, &how));
	RUN(sends_low);
	MUST(sigwaitinfo(&set, &info) == SIGUSR1);
	OUTCOME("%d %d", info.si_code == SI_MESGQ, info.si_value.sival_int);
}
/* not notified: a thread waits for the message already */
static void instead(void)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tells, .sigev_value.sival_int = 3};

	make(4, 0);
	MUST(!mq_notify(q, &how));
	RUN(receives_one, sends_low);
	OUTCOME("%s", mq_notify(q, NULL) ? "error" : told ? "told" : "not told");
}

THREAD(errs)
{
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 4}, got;
	mqd_t in, out;
	char text[4];
	int e[12] = {0};

	e[0] = mq_open("/sleave-none", O_RDONLY) < 0 ? errno : 0;
	e[1] = mq_open("none", O_RDONLY) < 0 ? errno : 0;
	MUST((in = mq_open("/sleave-errors", O_RDONLY | O_CREAT, 0600, &attr)) >= 0);
	e[2] = mq_open("/sleave-errors", O_RDONLY | O_CREAT | O_EXCL, 0600, &attr) < 0 ? errno : 0;
	MUST((out = mq_open("/sleave-errors", O_WRONLY | O_NONBLOCK)) >= 0);
	e[3] = mq_send(in, "x", 1, 0) < 0 ? errno : 0;
	e[4] = (int)mq_receive(out, text, 4, NULL) < 0 ? errno : 0;
	e[5] = mq_send(out, "12345", 5, 0) < 0 ? errno : 0;
	e[6] = (int)mq_receive(in, text, 3, NULL) < 0 ? errno : 0;
	MUST(!mq_send(out, "1", 1, 0) && !mq_send(out, "", 0, 32767));
	e[7] = mq_send(out, "3", 1, 0) < 0 ? errno : 0;
	e[8] = mq_send(out, "3", 1, 32768) < 0 ? errno : 0;
	MUST(!mq_getattr(out, &got) && got.mq_curmsgs == 2 && got.mq_flags == O_NONBLOCK && got.mq_maxmsg == 2);
	MUST(mq_receive(in, text, 4, NULL) == 0 && mq_receive(in, text, 4, NULL) == 1);
	e[9] = mq_close(0) < 0 ? errno : 0;
	MUST(!mq_unlink("/sleave-errors") && !mq_close(in) && !mq_close(out));
	e[10] = mq_unlink("/sleave-errors") < 0 ? errno : 0;
	e[11] = mq_send(out, "x", 1, 0) < 0 ? errno : 0;
	OUTCOME("%d", e[0] == ENOENT && e[1] == EINVAL && e[2] == EEXIST && e[3] == EBADF && e[4] == EBADF &&
			      e[5] == EMSGSIZE && e[6] == EMSGSIZE && e[7] == EAGAIN && e[8] == EINVAL && e[9] == EBADF &&
			      e[10] == ENOENT && e[11] == EBADF);
}
static void errors(void) { RUN(errs); }

int main(void)
{
	EXPECT(urgency, "hl 10", "lh 10");
	EXPECT(ordered, "42");
	EXPECT_FINDING(nobody_sends, "message queue", NULL);
	EXPECT_FINDING(full, "waits for room to write to descriptor 3 (message queue)", NULL);
	EXPECT(makes_room, "ab");
	EXPECT(nonblocking, "1 0", "-1 1");
	EXPECT(with_limit, "1 0", "-1 1");
	EXPECT(by_thread, "3");
	EXPECT(by_signal, "1 5");
	EXPECT(instead, "told", "not told");
	EXPECT(errors, "1");
	return done();
}
