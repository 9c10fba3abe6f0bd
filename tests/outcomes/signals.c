/*
 * Signals: handlers run before any operation of their thread, on its stack; they end waits or do not; signals to
 * the process go to any thread that does not block them; timers may run out at any time.
 */
#include "outcome.h"
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int x ALONE, seen ALONE;
static sem_t s ALONE, started ALONE;
static pthread_mutex_t m ALONE = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c ALONE = PTHREAD_COND_INITIALIZER;
static volatile sig_atomic_t count ALONE, last ALONE;
static char order[16] ALONE;
static volatile unsigned length ALONE;

static void handle(int n, void (*handler)(int), int flags)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = flags};

	sigaction(n, &a, NULL);
}
static sigset_t set_of(int n)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, n);
	return set;
}
static void block(int n)
{
	sigset_t set = set_of(n);

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
static void unblock(int n)
{
	sigset_t set = set_of(n);

	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
/* A body that needs only one thread runs in a second one: a program with one thread has nothing to interleave. */
#define ALONE_IN_THREAD(name)                                                                                \
	static void *name##_body(void *);                                                                    \
	static void name(void) { RUN(name##_body); }                                                         \
	static void name##_do(void);                                                                         \
	static void *name##_body(void *a)                                                                    \
	{                                                                                                    \
		name##_do();                                                                                 \
		return a;                                                                                    \
	}                                                                                                    \
	static void name##_do(void)
static void counts(int n) { count++; last = n; }

/* ---- where a handler runs ---- */

static void sees_x(int n) { (void)n; seen = atomic_load(&x); }
static void *stores_twice(void *a)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	return a;
}
/* Before the first store, before the second, before the end, too late: 4 */
static void anywhere(void)
{
	pthread_t t;

	handle(SIGUSR1, sees_x, 0);
	atomic_store(&seen, -1);
	pthread_create(&t, NULL, stores_twice, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	OUTCOME("%d", atomic_load(&seen));
}

ALONE_IN_THREAD(at_once)
{
	int first;

	handle(SIGUSR1, counts, 0);
	raise(SIGUSR1);
	first = count;
	block(SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR1); /* pending already */
	sigset_t pending;

	sigpending(&pending);
	int blocked = count;

	unblock(SIGUSR1);
	OUTCOME("%d %d %d %d", first, blocked, sigismember(&pending, SIGUSR1), count);
}

static void *blocks_a_while(void *a)
{
	block(SIGUSR1);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	unblock(SIGUSR1);
	return a;
}
/* Never between the two stores. */
static void blocked(void)
{
	pthread_t t;

	handle(SIGUSR1, sees_x, 0);
	atomic_store(&seen, -1);
	pthread_create(&t, NULL, blocks_a_while, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	OUTCOME("%d", atomic_load(&seen));
}

/* Each handler blocks itself and what its action says; what came meanwhile follows. */
static void writes_a(int n)
{
	(void)n;
	order[length++] = 'a';
	raise(SIGUSR2);
	raise(SIGUSR1);
	order[length++] = 'A';
}
static void writes_b(int n)
{
	(void)n;
	order[length++] = 'b';
	if (length < 8)
		order[length++] = 'B';
}
static void once_a(int n)
{
	handle(SIGUSR1, writes_b, 0);
	writes_a(n);
}
ALONE_IN_THREAD(nested)
{
	struct sigaction a = {.sa_handler = once_a};

	handle(SIGUSR2, writes_b, 0);
	sigaction(SIGUSR1, &a, NULL); /* USR2 interrupts the handler of USR1, USR1 waits for its end */
	raise(SIGUSR1);
	OUTCOME("%s", order);
}
ALONE_IN_THREAD(nested_blocked)
{
	struct sigaction a = {.sa_handler = once_a};

	handle(SIGUSR2, writes_b, 0);
	sigaddset(&a.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	OUTCOME("%s", order);
}

/* ---- waits ---- */

static void *waits(void *a)
{
	int answer = sem_wait(&s), error = errno;

	(void)a;
	return (void *)(intptr_t)(answer ? error : 0);
}
static void interrupts(int flags)
{
	pthread_t t;
	void *result;

	sem_init(&s, 0, 0);
	handle(SIGUSR1, counts, flags);
	pthread_create(&t, NULL, waits, NULL);
	pthread_kill(t, SIGUSR1);
	sem_post(&s);
	pthread_join(t, &result);
	OUTCOME("%s %d", (intptr_t)result == EINTR ? "interrupted" : result ? "error" : "taken", (int)count);
}
/* Interrupted; or the signal came before the call. Not after it: the post comes after the signal. */
static void semaphore(void) { interrupts(0); }
static void semaphore_restarts(void) { interrupts(SA_RESTART); }

static void *naps(void *a)
{
	(void)a;
	return (void *)(intptr_t)sleep(100);
}
static void sleeping(void)
{
	pthread_t t;
	void *result;

	handle(SIGUSR1, counts, SA_RESTART);
	pthread_create(&t, NULL, naps, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, &result);
	OUTCOME("%d %d", (int)(intptr_t)result, (int)count);
}

static int fds[2];
static void *reads(void *a)
{
	char byte;
	ssize_t n = read(fds[0], &byte, 1);

	(void)a;
	return (void *)(intptr_t)(n == 1 ? 0 : errno);
}
static void *polls(void *a)
{
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	int n = poll(&p, 1, -1);

	(void)a;
	return (void *)(intptr_t)(n == 1 ? 0 : errno);
}
static void *ppolls(void *a)
{
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	sigset_t none;
	int n;

	sigemptyset(&none);
	n = ppoll(&p, 1, NULL, &none);
	(void)a;
	return (void *)(intptr_t)(n == 1 ? 0 : errno);
}
static void interrupts_io(void *(*f)(void *), int flags)
{
	pthread_t t;
	void *result;

	if (pipe(fds))
		return;
	handle(SIGUSR1, counts, flags);
	pthread_create(&t, NULL, f, NULL);
	pthread_kill(t, SIGUSR1);
	if (write(fds[1], "x", 1) != 1)
		return;
	pthread_join(t, &result);
	OUTCOME("%s %d", (intptr_t)result == EINTR ? "interrupted" : result ? "error" : "ready", (int)count);
}
static void reading(void) { interrupts_io(reads, 0); }
static void reading_restarts(void) { interrupts_io(reads, SA_RESTART); }
static void polling(void) { interrupts_io(polls, SA_RESTART); }
/* Blocked except while it waits: if there is something to read by then, it stays blocked. */
static void ppolling(void)
{
	block(SIGUSR1);
	interrupts_io(ppolls, 0);
}

static void *waits_cond(void *a)
{
	pthread_mutex_lock(&m);
	while (!atomic_load(&x))
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return a;
}
/* A condition variable, a mutex, a join: the wait goes on after the handler, and nothing is lost meanwhile. */
static void posts(int n)
{
	(void)n;
	count++;
	sem_post(&s);
	sem_wait(&started); /* the signal of the condition variable may come now */
}
static void condition(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	sem_init(&started, 0, 0);
	handle(SIGUSR1, posts, 0);
	pthread_create(&t, NULL, waits_cond, NULL);
	pthread_mutex_lock(&m);
	pthread_kill(t, SIGUSR1);
	pthread_mutex_unlock(&m);
	sem_wait(&s); /* the thread is in its handler */
	pthread_mutex_lock(&m);
	atomic_store(&x, 1);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	sem_post(&started);
	pthread_join(t, NULL);
	OUTCOME("%d", (int)count);
}
static void *locks(void *a)
{
	pthread_mutex_lock(&m);
	atomic_store(&x, 1 + (int)count);
	pthread_mutex_unlock(&m);
	return a;
}
static void mutex(void)
{
	pthread_t t;

	handle(SIGUSR1, counts, 0);
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, locks, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	OUTCOME("%d %d", atomic_load(&x), (int)count);
}
static void *joins(void *a)
{
	pthread_t t;

	pthread_create(&t, NULL, waits, NULL);
	sem_post(&started);
	return (void *)(intptr_t)(pthread_join(t, NULL) + (a != NULL));
}
static void joining(void)
{
	pthread_t t;
	void *result;

	sem_init(&s, 0, 0);
	sem_init(&started, 0, 0);
	handle(SIGUSR1, counts, 0);
	pthread_create(&t, NULL, joins, NULL);
	sem_wait(&started);
	pthread_kill(t, SIGUSR1);
	sem_post(&s);
	pthread_join(t, &result);
	OUTCOME("%d %d", (int)(intptr_t)result, (int)count);
}
static pthread_barrier_t b ALONE;
static void *meets(void *a)
{
	pthread_barrier_wait(&b);
	return a;
}
static void barrier(void)
{
	pthread_t t;

	handle(SIGUSR1, counts, 0);
	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, meets, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_barrier_wait(&b);
	pthread_join(t, NULL);
	OUTCOME("%d", (int)count);
}

/* ---- to the process ---- */

static pthread_t first;
static void who(int n) { (void)n; last = pthread_equal(pthread_self(), first) ? 1 : 2; }
static void *stores(void *a)
{
	atomic_store(&x, 1);
	return a;
}
static void to_anybody(void)
{
	pthread_t t;

	first = pthread_self();
	handle(SIGUSR1, who, 0);
	pthread_create(&t, NULL, stores, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(t, NULL);
	OUTCOME("%d", (int)last);
}
/* All but the second thread block it. */
static void *stores_unblocked(void *a)
{
	unblock(SIGUSR1);
	atomic_store(&x, 1);
	return a;
}
static void to_the_one(void)
{
	pthread_t t;

	first = pthread_self();
	handle(SIGUSR1, who, 0);
	block(SIGUSR1);
	pthread_create(&t, NULL, stores_unblocked, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(t, NULL);
	unblock(SIGUSR1); /* if it was pending still */
	OUTCOME("%d", (int)last);
}

/* ---- waiting for signals ---- */

static void *waits_signal(void *a)
{
	sigset_t set = set_of(SIGUSR1);
	int n = 0, error = sigwait(&set, &n);

	(void)a;
	return (void *)(intptr_t)(error ? -error : n);
}
static void sigwait_gets_it(void)
{
	pthread_t t;
	void *result;

	block(SIGUSR1);
	pthread_create(&t, NULL, waits_signal, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(t, &result);
	OUTCOME("%d", (int)(intptr_t)result == SIGUSR1);
}
static void *waits_a_second(void *a)
{
	sigset_t set = set_of(SIGUSR1);
	struct timespec limit = {1, 0};
	siginfo_t info = {0};
	int n = sigtimedwait(&set, &info, &limit);

	(void)a;
	return (void *)(intptr_t)(n < 0 ? -errno : info.si_value.sival_int);
}
static void sigtimedwait_or_not(void)
{
	union sigval value = {.sival_int = 7};
	pthread_t t;
	void *result;

	block(SIGUSR1);
	pthread_create(&t, NULL, waits_a_second, NULL);
	pthread_sigqueue(t, SIGUSR1, value);
	pthread_join(t, &result);
	OUTCOME("%s", (intptr_t)result == 7 ? "got" : (intptr_t)result == -EAGAIN ? "late" : "error");
}
/* Queued ones come all, in order. */
ALONE_IN_THREAD(queued)
{
	sigset_t set = set_of(SIGRTMIN);
	siginfo_t info;

	block(SIGRTMIN);
	for (int i = 1; i <= 3; i++)
		pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = i});
	for (int i = 0; i < 3; i++) {
		sigwaitinfo(&set, &info);
		order[i] = (char)('0' + info.si_value.sival_int);
	}
	OUTCOME("%s %d", order, sigtimedwait(&set, &info, &(struct timespec){0, 0}) == -1 && errno == EAGAIN);
}

/* If the signal comes before the call, pause() waits for ever; sigsuspend() does not. */
static void *pauses(void *a)
{
	pause();
	return a;
}
static void lost_pause(void)
{
	pthread_t t;

	handle(SIGUSR1, counts, 0);
	pthread_create(&t, NULL, pauses, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	OUTCOME("%d", (int)count);
}
static void *suspends(void *a)
{
	sigset_t none;

	sigemptyset(&none);
	while (!count)
		sigsuspend(&none);
	return a;
}
static void suspend(void)
{
	pthread_t t;

	block(SIGUSR1);
	handle(SIGUSR1, counts, 0);
	pthread_create(&t, NULL, suspends, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	OUTCOME("%d", (int)count);
}

/* ---- long jumps, faults ---- */

static sigjmp_buf jump ALONE;
static void jumps(int n) { siglongjmp(jump, n); }
ALONE_IN_THREAD(jump_out)
{
	sigset_t now;
	int n;

	handle(SIGUSR1, jumps, 0);
	n = sigsetjmp(jump, 1);
	if (!n)
		raise(SIGUSR1);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	OUTCOME("%d %d", n == SIGUSR1, sigismember(&now, SIGUSR1));
}
static int *volatile nowhere;
static void *faults(void *a)
{
	sigjmp_buf *volatile unused = &jump;

	(void)unused;
	if (!sigsetjmp(jump, 1)) {
		atomic_fetch_add(&x, 1);
		*nowhere = 1;
	}
	atomic_fetch_add(&x, 10);
	return a;
}
static void fault_is_handled(void)
{
	pthread_t t;

	handle(SIGSEGV, jumps, 0);
	pthread_create(&t, NULL, faults, NULL);
	pthread_join(t, NULL);
	OUTCOME("%d", atomic_load(&x));
}
static char page[8192] __attribute__((aligned(4096)));
static void allows(int n, siginfo_t *info, void *context)
{
	(void)n;
	(void)context;
	count += (char *)info->si_addr == page + 5;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
/* The instruction is tried again when the handler has returned, with all its registers. */
ALONE_IN_THREAD(fault_is_mended)
{
	struct sigaction a = {.sa_sigaction = allows, .sa_flags = SA_SIGINFO};
	volatile double d = 1.5;

	sigaction(SIGSEGV, &a, NULL);
	mprotect(page, 4096, PROT_NONE);
	((volatile char *)page)[5] = 3;
	OUTCOME("%d %d %g", (int)count, page[5], d * 2);
}
static char *volatile where;
static void notes_stack(int n)
{
	char here;

	(void)n;
	where = &here;
}
ALONE_IN_THREAD(other_stack)
{
	static char room[65536];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)}, off = {.ss_flags = SS_DISABLE};

	handle(SIGUSR1, notes_stack, SA_ONSTACK);
	sigaltstack(&stack, NULL);
	raise(SIGUSR1);
	int inside = where >= room && where < room + sizeof(room);

	sigaltstack(&off, NULL);
	raise(SIGUSR1);
	OUTCOME("%d %d", inside, where >= room && where < room + sizeof(room));
}

/* ---- signals without a handler ---- */

static void *usr1_without_handler(void *a)
{
	atomic_store(&x, 1);
	return a;
}
static void ends(void)
{
	pthread_t t;

	pthread_create(&t, NULL, usr1_without_handler, NULL);
	if (atomic_load(&x))
		pthread_kill(t, SIGUSR1); /* it may have ended by then */
	pthread_join(t, NULL);
	OUTCOME("%d", 1);
}
ALONE_IN_THREAD(ignored)
{
	raise(SIGCHLD);
	raise(SIGWINCH);
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	OUTCOME("%d", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
}
static void aborts_gracefully(int n)
{
	(void)n;
	OUTCOME("handler");
	exit(0);
}
ALONE_IN_THREAD(abort_handled)
{
	handle(SIGABRT, aborts_gracefully, 0);
	abort();
}
static void abort_handled_in_vain(void)
{
	handle(SIGABRT, counts, 0);
	abort();
}

/* ---- timers ---- */

static void alarm_wakes(void)
{
	struct timespec before, after;

	handle(SIGALRM, counts, 0);
	clock_gettime(CLOCK_MONOTONIC, &before);
	alarm(10);
	while (!count)
		sched_yield();
	clock_gettime(CLOCK_MONOTONIC, &after);
	OUTCOME("%d %d", (int)count, after.tv_sec - before.tv_sec >= 10);
}
static void alarm_anywhere(void)
{
	handle(SIGALRM, sees_x, 0);
	atomic_store(&seen, -1);
	alarm(1);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	int left = alarm(0) != 0;

	OUTCOME("%d %d", left, atomic_load(&seen));
}
static void interval_timer(void)
{
	struct itimerval every = {{1, 0}, {1, 0}};

	handle(SIGALRM, counts, 0);
	setitimer(ITIMER_REAL, &every, NULL);
	while (count < 2)
		sched_yield();
	every = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, NULL);
	OUTCOME("%d", count >= 2);
}
static void posix_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 9};
	struct itimerspec in = {.it_value = {5, 0}};
	sigset_t set = set_of(SIGRTMIN);
	siginfo_t info = {0};
	timer_t timer;

	block(SIGRTMIN);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &in, NULL);
	sigwaitinfo(&set, &info);
	OUTCOME("%d %d %d", info.si_value.sival_int, info.si_code == SI_TIMER, timer_delete(timer));
}

int main(void)
{
	EXPECT_N(anywhere, 4, "0", "1", "2", "-1");
	EXPECT(at_once, "1 1 1 2");
	EXPECT(blocked, "0", "2", "-1");
	EXPECT(nested, "abBAbB");
	EXPECT(nested_blocked, "aAbBbB");
	EXPECT(semaphore, "interrupted 1", "taken 1");
	EXPECT(semaphore_restarts, "taken 1");
	EXPECT(reading, "interrupted 1", "ready 1");
	EXPECT(reading_restarts, "ready 1");
	EXPECT(polling, "interrupted 1", "ready 1");
	EXPECT(ppolling, "interrupted 1", "ready 0");
	EXPECT(sleeping, "100 1", "0 1", "0 0");
	EXPECT(condition, "1");
	EXPECT(mutex, "2 1");
	EXPECT(joining, "0 1");
	EXPECT(barrier, "1");
	EXPECT(to_anybody, "1", "2");
	EXPECT(to_the_one, "1", "2");
	EXPECT(sigwait_gets_it, "1");
	EXPECT(sigtimedwait_or_not, "got", "late");
	EXPECT(queued, "123 1");
	EXPECT_FINDING(lost_pause, "deadlock", "1");
	EXPECT(suspend, "1");
	EXPECT(jump_out, "1 0");
	EXPECT(fault_is_handled, "11");
	EXPECT(fault_is_mended, "1 3 3");
	EXPECT(other_stack, "1 0");
	EXPECT_FINDING(ends, "SIGUSR1", "1");
	EXPECT(ignored, "1");
	EXPECT(abort_handled, "handler");
	EXPECT_FINDING(abort_handled_in_vain, "abort", NULL);
	EXPECT(alarm_wakes, "1 1");
	EXPECT(alarm_anywhere, "1 -1", "0 0", "0 1", "0 2");
	EXPECT(interval_timer, "1");
	EXPECT(posix_timer, "9 1 0");
	return done();
}
