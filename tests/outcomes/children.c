/*
 * Children, their signals and ends, and timers: what a program can see of them, and in which orders. Children run to their
 * end, or until they wait, before their parent continues; their ends and signals come at any time after that, or, if the
 * child has slept, at the time at which the sleep ends. Each body also runs on real threads, which must show nothing else.
 */
#include "outcome.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))
static atomic_int got ALONE; /* reading a plain variable is no point of choice, so that no handler runs just before */
static atomic_int x ALONE;
static char order[16] ALONE;
static volatile unsigned length ALONE;

static void handler(int n) { got = n; }
static void appends(int n) { order[length++] = (char)(n == SIGUSR1 ? '1' : n == SIGUSR2 ? '2' : n == SIGALRM ? 'a' : '?'); order[length] = 0; }
static void handle(int n, void (*function)(int))
{
	struct sigaction a = {.sa_handler = function};

	got = 0; length = 0; order[0] = 0;
	sigaction(n, &a, NULL);
}
static void *nothing(void *a) { return a; }
static pid_t child_ends(int status)
{
	pid_t child = fork();

	if (!child)
		_exit(status);
	return child;
}
static void wait_for(pid_t child, int *status) { while (waitpid(child, status, 0) < 0 && errno == EINTR) ; }
static void block(int n) { sigset_t set; sigemptyset(&set); sigaddset(&set, n); pthread_sigmask(SIG_BLOCK, &set, NULL); }

/* ---- ends ---- */

static void end_polled(void)
{
	RUN(nothing);
	pid_t child = child_ends(3);
	int status = 0, seen = waitpid(child, &status, WNOHANG) == child;
	if (!seen)
		wait_for(child, &status);
	OUTCOME("%d %d", seen, WEXITSTATUS(status));
}
static void end_signalled(void)
{
	RUN(nothing);
	handle(SIGCHLD, handler);
	pid_t child = child_ends(0);
	int seen = got != 0;
	wait_for(child, NULL);
	OUTCOME("%d %d", seen, got == SIGCHLD);
}
static void first_of_two(void)
{
	RUN(nothing);
	pid_t a = child_ends(1), b = child_ends(2);
	int s = 0, t = 0;
	MUST(wait(&s) > 0 && wait(&t) > 0 && a && b);
	OUTCOME("%d%d", WEXITSTATUS(s), WEXITSTATUS(t));
}
static int results[2] ALONE;
THREAD(waits_for_any) { results[self - 1] = wait(NULL) > 0 ? 1 : errno == ECHILD ? 0 : -1; }
static void one_for_two(void)
{
	child_ends(0);
	RUN(waits_for_any, waits_for_any);
	OUTCOME("%d%d", results[0], results[1]);
}
static pid_t kid ALONE;
THREAD(kills_kid) { MUST(!kill(kid, SIGTERM)); }
static void killed(void)
{
	pthread_t t;
	kid = fork();
	if (!kid) { pause(); _exit(0); }
	MUST(!pthread_create(&t, NULL, kills_kid, NULL));
	int status = 0, seen = waitpid(kid, &status, WNOHANG) == kid;
	if (!seen)
		wait_for(kid, &status);
	MUST(!pthread_join(t, NULL));
	OUTCOME("%d %d", seen, WTERMSIG(status));
}
static void slept_and_ended(void)
{
	RUN(nothing);
	pid_t child = fork();
	struct timespec a, b;
	if (!child) { usleep(50000); _exit(0); }
	int seen = waitpid(child, NULL, WNOHANG) == child;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!seen)
		wait_for(child, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	OUTCOME("%d %d", seen, (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 >= 20);
}

/* ---- signals of children ---- */

static void child_sends(int n, int slept)
{
	if (fork())
		return;
	if (slept)
		usleep(50000);
	kill(getppid(), n);
	_exit(0);
}
static void sent(void)
{
	RUN(nothing);
	handle(SIGUSR1, handler);
	child_sends(SIGUSR1, 0);
	int seen = got != 0;
	wait_for(-1, NULL);
	OUTCOME("%d %d", seen, got == SIGUSR1);
}
static void sent_in_order(void)
{
	RUN(nothing);
	handle(SIGUSR1, appends);
	handle(SIGUSR2, appends);
	if (!fork()) { kill(getppid(), SIGUSR1); usleep(50000); kill(getppid(), SIGUSR2); _exit(0); }
	wait_for(-1, NULL);
	OUTCOME("%s", order);
}
static void ends_sleep(void)
{
	RUN(nothing);
	handle(SIGUSR1, handler);
	child_sends(SIGUSR1, 1);
	int left = (int)sleep(2);
	OUTCOME("%d %d", left > 0, got == SIGUSR1);
	wait_for(-1, NULL);
}
static void does_not_end_shorter_sleep(void)
{
	RUN(nothing);
	handle(SIGUSR1, handler);
	child_sends(SIGUSR1, 1);
	int ended = usleep(1000), early = got;
	wait_for(-1, NULL);
	OUTCOME("%d %d %d", ended, early, got == SIGUSR1);
}
static void blocked_by_all(void)
{
	sigset_t set;
	RUN(nothing);
	handle(SIGUSR1, handler);
	block(SIGUSR1);
	child_sends(SIGUSR1, 0);
	wait_for(-1, NULL);
	sigpending(&set);
	int pending = sigismember(&set, SIGUSR1), before = got;
	pthread_sigmask(SIG_SETMASK, (sigemptyset(&set), &set), NULL);
	OUTCOME("%d %d %d", pending, before, got == SIGUSR1);
}
THREAD(waits_for_signal)
{
	sigset_t set;
	siginfo_t info;
	sigemptyset(&set); sigaddset(&set, SIGUSR1);
	results[self - 1] = sigtimedwait(&set, &info, &(struct timespec){1, 0}) == SIGUSR1;
}
static void taken_by_one_of_two(void)
{
	block(SIGUSR1);
	child_sends(SIGUSR1, 0);
	RUN(waits_for_signal, waits_for_signal);
	wait_for(-1, NULL);
	OUTCOME("%d", results[0] + results[1]);
}

/* ---- timers ---- */

static void alarm_seen(void)
{
	RUN(nothing);
	handle(SIGALRM, handler);
	alarm(1);
	int seen = got != 0, left = (int)sleep(3);
	OUTCOME("%d %d", got == SIGALRM, seen || left > 0);
	alarm(0);
}
THREAD(cancels_alarm) { results[0] = (int)alarm(0); }
static void alarm_cancelled(void)
{
	pthread_t t;
	handle(SIGALRM, handler);
	alarm(1);
	MUST(!pthread_create(&t, NULL, cancels_alarm, (void *)1));
	MUST(!pthread_join(t, NULL));
	OUTCOME("%d %d", results[0], got == SIGALRM);
}
static timer_t timer_of(int n, long milliseconds)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = n};
	struct itimerspec s = {.it_value = {.tv_nsec = milliseconds * 1000000}};
	timer_t timer;
	MUST(!timer_create(CLOCK_MONOTONIC, &e, &timer) && !timer_settime(timer, 0, &s, NULL));
	return timer;
}
static void two_timers(void)
{
	RUN(nothing);
	handle(SIGUSR1, appends);
	handle(SIGUSR2, appends);
	timer_t a = timer_of(SIGUSR1, 30), b = timer_of(SIGUSR2, 90);
	for (struct timespec left = {.tv_nsec = 200000000}; nanosleep(&left, &left);)
		;
	OUTCOME("%s", order);
	timer_delete(a); timer_delete(b);
}
static void timer_and_child(void)
{
	RUN(nothing);
	handle(SIGUSR1, appends);
	handle(SIGUSR2, appends);
	child_sends(SIGUSR1, 1);
	timer_t t = timer_of(SIGUSR2, 400);
	for (struct timespec left = {.tv_nsec = 800000000}; nanosleep(&left, &left);)
		;
	wait_for(-1, NULL);
	OUTCOME("%s", order);
	timer_delete(t);
}
static void adds(union sigval v) { atomic_fetch_add(&x, v.sival_int); }
static void timer_thread(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = adds, .sigev_value.sival_int = 1};
	struct itimerspec s = {.it_value = {.tv_nsec = 1000000}};
	timer_t timer;
	x = 0;
	MUST(!timer_create(CLOCK_MONOTONIC, &e, &timer) && !timer_settime(timer, 0, &s, NULL));
	int seen = x;
	while (!x)
		usleep(1000);
	OUTCOME("%d %d", seen, x);
	timer_delete(timer);
}
static void timer_in_wait(void)
{
	sem_t s;
	RUN(nothing);
	handle(SIGALRM, handler);
	sem_init(&s, 0, 0);
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	struct itimerval v = {.it_value = {.tv_usec = 100000}};
	setitimer(ITIMER_REAL, &v, NULL);
	int seen = got != 0, e = sem_timedwait(&s, &until) ? errno : 0;
	OUTCOME("%s %d", e == EINTR ? "EINTR" : e == ETIMEDOUT ? "late" : "?", got == SIGALRM && (!seen || e == ETIMEDOUT));
}

int main(void)
{
	EXPECT_NATIVE(end_polled, "0 3", "1 3");
	EXPECT_NATIVE(end_signalled, "0 1", "1 1");
	EXPECT_NATIVE(first_of_two, "12", "21");
	EXPECT_NATIVE(one_for_two, "10", "01");
	EXPECT_NATIVE(killed, "0 15", "1 15");
	EXPECT_NATIVE(slept_and_ended, "0 1");
	EXPECT_NATIVE(sent, "0 1", "1 1");
	EXPECT_NATIVE(sent_in_order, "12");
	EXPECT_NATIVE(ends_sleep, "1 1");
	EXPECT_NATIVE(does_not_end_shorter_sleep, "0 0 1");
	EXPECT_NATIVE(blocked_by_all, "1 0 1");
	EXPECT_NATIVE(taken_by_one_of_two, "0", "1"); /* 0: the child is delayed for a second */
	EXPECT_NATIVE(alarm_seen, "1 0", "1 1");      /* 0: it comes just before the sleep */
	EXPECT_NATIVE(alarm_cancelled, "1 0", "0 1");
	EXPECT_NATIVE(two_timers, "12", "21"); /* 21: both are pending when the thread goes on, and the last handler is on top */
	EXPECT_NATIVE(timer_and_child, "12", "21");
	EXPECT_NATIVE(timer_thread, "0 1", "1 1");
	EXPECT_NATIVE(timer_in_wait, "EINTR 1", "late 1");
	return done();
}
