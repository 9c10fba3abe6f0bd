/*
 * Asynchronous input and output: when a request ends, who is notified, what can be seen meanwhile.
 */
#include "outcome.h"
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>

static int a[2] ALONE, fd ALONE, r1 ALONE, r2 ALONE;
static char text[8] ALONE, more[8] ALONE;
static struct aiocb one ALONE, two ALONE;

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))

static void prepare(void)
{
	MUST(!pipe(a));
	one = (struct aiocb){.aio_fildes = a[0], .aio_buf = text, .aio_nbytes = 8, .aio_sigevent.sigev_notify = SIGEV_NONE};
	two = one;
	two.aio_buf = more;
}
THREAD(writes) { MUST(write(a[1], "abc", 3) == 3); }
static int wait_for(struct aiocb *block)
{
	const struct aiocb *list[] = {block};

	MUST(!aio_suspend(list, 1, NULL));
	MUST(aio_error(block) == 0);
	return (int)aio_return(block);
}

/* the request ends when there is data; a thread that waits for it may then read the buffer */
THREAD(asks) { MUST(!aio_read(&one)); r1 = wait_for(&one); r2 = text[0]; }
static void waits(void)
{
	prepare();
	RUN(asks, writes);
	OUTCOME("%d %c", r1, r2);
}
static void nobody_writes(void)
{
	prepare();
	RUN(asks);
	OUTCOME("%d", r1);
}

/* meanwhile it is in progress, or has ended already */
THREAD(looks) { MUST(!aio_read(&one)); r1 = aio_error(&one); }
static void looked(void)
{
	prepare();
	RUN(looks, writes);
	OUTCOME("%s", r1 == EINPROGRESS ? "in progress" : r1 ? "error" : "done");
}
THREAD(looks_until) { MUST(!aio_read(&one)); while (aio_error(&one) == EINPROGRESS) sched_yield(); r1 = (int)aio_return(&one); }
static void polled(void)
{
	prepare();
	RUN(looks_until, writes);
	OUTCOME("%d", r1);
}

/* the buffer belongs to the request until then */
THREAD(reads_too_early) { MUST(!aio_read(&one)); r1 = text[0]; wait_for(&one); }
static void too_early(void)
{
	prepare();
	RUN(reads_too_early, writes);
	OUTCOME("end");
}

/* two for one descriptor: the first gets the first data */
THREAD(asks_twice)
{
	one.aio_nbytes = 1;
	MUST(!aio_read(&one) && !aio_read(&two));
	wait_for(&two);
	MUST(aio_error(&one) == 0);
}
static void one_after_the_other(void)
{
	prepare();
	RUN(asks_twice, writes);
	OUTCOME("%s %s", text, more);
}

static atomic_int told ALONE;
static void tells(union sigval value) { told = value.sival_int; }
THREAD(asks_to_be_told)
{
	one.aio_sigevent =
		(struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tells, .sigev_value.sival_int = 7};
	MUST(!aio_read(&one));
	while (!told)
		sched_yield();
	r1 = aio_error(&one);
}
static void by_thread(void)
{
	prepare();
	RUN(asks_to_be_told, writes);
	OUTCOME("%d %d", told, r1);
}
THREAD(asks_for_signal)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	one.aio_sigevent =
		(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
	MUST(!aio_read(&one));
	MUST(sigwaitinfo(&set, &info) == SIGUSR1);
	r1 = info.si_value.sival_int + (info.si_code == SI_ASYNCIO ? 10 : 0) + aio_error(&one);
}
static void by_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	prepare();
	RUN(asks_for_signal, writes);
	OUTCOME("%d", r1);
}

THREAD(asks_for_a_while)
{
	const struct aiocb *list[] = {&one, NULL};

	MUST(!aio_read(&one));
	r1 = aio_suspend(list, 2, &(struct timespec){1, 0});
	r2 = r1 ? errno : 0;
}
static void with_limit(void)
{
	prepare();
	RUN(asks_for_a_while, writes);
	OUTCOME("%d %d", r1, r2 == EAGAIN);
}

/* a list, written to a file and waited for; then read back; and the result of an invalid request */
THREAD(lists)
{
	char path[] = "aioXXXXXX";
	struct aiocb *both[] = {&one, NULL, &two};

	MUST((fd = mkstemp(path)) >= 0 && !unlink(path));
	one = (struct aiocb){.aio_fildes = fd, .aio_buf = "abc", .aio_nbytes = 3, .aio_lio_opcode = LIO_WRITE, .aio_sigevent.sigev_notify = SIGEV_NONE};
	two = one;
	two.aio_offset = 3;
	MUST(!lio_listio(LIO_WAIT, both, 3, NULL) && aio_return(&one) == 3 && aio_return(&two) == 3);
	one.aio_buf = text;
	one.aio_nbytes = 8;
	one.aio_lio_opcode = LIO_READ;
	two.aio_lio_opcode = LIO_NOP;
	MUST(!lio_listio(LIO_WAIT, both, 3, NULL) && aio_return(&one) == 6);
	two.aio_fildes = fd;
	MUST(!aio_fsync(O_SYNC, &two) && wait_for(&two) == 0 && aio_cancel(fd, NULL) == AIO_ALLDONE);
	one.aio_fildes = 999;
	MUST(lio_listio(LIO_WAIT, both, 1, NULL) < 0 && errno == EIO && aio_error(&one) == EBADF && aio_return(&one) == -1);
	MUST(aio_fsync(12345, &two) < 0 && errno == EINVAL);
	one.aio_reqprio = -1;
	MUST(aio_read(&one) < 0 && errno == EINVAL);
}
static void list(void)
{
	RUN(lists);
	OUTCOME("%s", text);
}

int main(void)
{
	EXPECT(waits, "3 a");
	EXPECT_FINDING(nobody_writes, "deadlock", NULL);
	EXPECT(looked, "in progress", "done");
	EXPECT(polled, "3");
	EXPECT_WITH(too_early, 0, "race on text", OPTIONS(.races = SLEAVE_RACES_FIND), NULL);
	EXPECT(one_after_the_other, "a bc");
	EXPECT(by_thread, "7 0");
	EXPECT(by_signal, "15");
	EXPECT(with_limit, "0 0", "-1 1");
	EXPECT(list, "abcabc");
	return done();
}
