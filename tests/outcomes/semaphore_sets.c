/*
 * Sets of semaphores. A call of semop() is one point of choice, however many operations it has; a thread that was let go on by
 * another one has already taken what it waited for.
 */
#include "outcome.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int set ALONE, a ALONE, b ALONE, got[4] ALONE, at ALONE;
static char order[16] ALONE;

static int
operate(unsigned short number, short what, short flags)
{
	struct sembuf o = {number, what, flags};

	return semop(set, &o, 1);
}

static void
begin(int first, int second)
{
	set = semget(IPC_PRIVATE, 2, 0600);
	semctl(set, 0, SETVAL, first);
	semctl(set, 1, SETVAL, second);
	at = a = b = 0;
	memset(order, 0, sizeof(order));
}

static void
end(void)
{
	semctl(set, 0, IPC_RMID);
}

/* A lock: 3! orders. */
THREAD(locked)
{
	operate(0, -1, 0);
	order[at++] = (char)('0' + self);
	operate(0, 1, 0);
}
static void as_mutex(void)
{
	begin(1, 0);
	RUN(locked, locked, locked);
	end();
	OUTCOME("%s", order);
}

/* Both at once or none: there is no deadlock, and each order is possible. */
THREAD(takes_both)
{
	struct sembuf both[2] = {{0, -1, 0}, {1, -1, 0}}, back[2] = {{1, 1, 0}, {0, 1, 0}};

	semop(set, both, 2);
	order[at++] = (char)('0' + self);
	semop(set, back, 2);
}
THREAD(takes_both_reversed)
{
	struct sembuf both[2] = {{1, -1, 0}, {0, -1, 0}}, back[2] = {{0, 1, 0}, {1, 1, 0}};

	semop(set, both, 2);
	order[at++] = (char)('0' + self);
	semop(set, back, 2);
}
static void both_at_once(void)
{
	begin(1, 1);
	RUN(takes_both, takes_both_reversed);
	end();
	OUTCOME("%s", order);
}

/* If the waiter came before the post, the attempt comes too late; if not, either of them has it. */
THREAD(waits) { got[self] = operate(0, -1, 0); }
THREAD(posts_and_tries)
{
	operate(0, 1, 0);
	got[self] = operate(0, -1, IPC_NOWAIT) ? 1 : 0;
	if (!got[self])
		operate(0, 1, 0);
}
static void handed_over(void)
{
	begin(0, 0);
	RUN(waits, posts_and_tries);
	end();
	OUTCOME("%d %d", got[1], got[2]);
}

/* Whichever thread waits for zero when the value is zero goes on, although it is raised again at once. */
THREAD(waits_for_zero) { got[self] = operate(0, 0, 0); }
THREAD(passes_zero)
{
	operate(0, -1, 0);
	operate(0, 1, 0);
	operate(0, -1, 0);
}
static void for_zero(void)
{
	begin(1, 0);
	RUN(waits_for_zero, passes_zero);
	got[3] = semctl(set, 0, GETVAL);
	end();
	OUTCOME("%d, %d", got[1], got[3]);
}

/* What came before the call of the one that posts comes before what follows in the one that waited. */
THREAD(writes)
{
	a = 5;
	operate(0, 1, 0);
}
THREAD(reads)
{
	operate(0, -1, 0);
	b = a;
}
static void in_order(void)
{
	begin(0, 0);
	RUN(writes, reads);
	end();
	OUTCOME("%d", b);
}

/* Of a waiter whose operations another thread performs, too: it has written before it waited. */
THREAD(writes_and_takes)
{
	a = 7;
	operate(0, -1, 0);
}
THREAD(reads_at_zero)
{
	operate(1, -1, 0);
	operate(0, 1, 0);
	operate(0, 0, 0);
	b = a;
}
THREAD(lets_it) { operate(1, 1, 0); }
static void of_a_waiter(void)
{
	begin(0, 0);
	RUN(writes_and_takes, reads_at_zero, lets_it);
	end();
	OUTCOME("%d", b);
}

/* The time may be up before the post, or not. */
THREAD(waits_for_a_while)
{
	struct sembuf o = {0, -1, 0};
	struct timespec limit = {.tv_nsec = 1000};

	got[self] = semtimedop(set, &o, 1, &limit) ? errno : 0;
}
THREAD(posts) { operate(0, 1, 0); }
static void timed(void)
{
	begin(0, 0);
	RUN(waits_for_a_while, posts);
	got[2] = semctl(set, 0, GETVAL);
	end();
	OUTCOME("%s, %d", got[1] == EAGAIN ? "late" : got[1] ? "?" : "got", got[2]);
}

/* A waiter learns that its set was removed; a later one finds none. */
THREAD(waits_and_says) { got[self] = operate(0, -1, 0) ? errno : 0; }
THREAD(removes) { got[self] = semctl(set, 0, IPC_RMID); }
static void removed(void)
{
	begin(0, 0);
	RUN(waits_and_says, removes);
	OUTCOME("%s", got[1] == EIDRM ? "removed" : got[1] == EINVAL ? "none" : "?");
}

/* The value is seen before or after. */
THREAD(looks) { got[self] = semctl(set, 0, GETVAL); }
static void looked_at(void)
{
	begin(3, 0);
	RUN(looks, posts);
	end();
	OUTCOME("%d", got[1]);
}

static void one_too_few(void)
{
	begin(1, 0);
	RUN(waits, waits);
	end();
}

int main(void)
{
	EXPECT(as_mutex, "123", "132", "213", "231", "312", "321");
	EXPECT(both_at_once, "12", "21");
	EXPECT(handed_over, "0 0", "0 1");
	EXPECT(for_zero, "0, 0");
	EXPECT(in_order, "5");
	EXPECT(of_a_waiter, "7");
	EXPECT(timed, "got, 0", "late, 1");
	EXPECT(removed, "none", "removed");
	EXPECT(looked_at, "3", "4");
	EXPECT_FINDING(one_too_few, "deadlock", NULL);
	return done();
}
