/* Timers: what they report, in which order they expire, what their signals carry. */
#include "conformance.h"
#include <poll.h>
#include <signal.h>
#include <sys/time.h>

#define MS 1000000l

static volatile int count, code, data;

static void
handler(int n, siginfo_t *info, void *context)
{
	(void)n;
	(void)context;
	count++;
	code = info->si_code;
	data = info->si_value.sival_int;
}

static void
install(int n, int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = handler;
	a.sa_flags = SA_SIGINFO | flags;
	sigemptyset(&a.sa_mask);
	sigaction(n, &a, NULL);
	count = code = data = 0;
}

static void
sleep_for(long nanoseconds)
{
	struct timespec rest = {0, nanoseconds};

	while (nanosleep(&rest, &rest))
		;
}

static struct itimerval
interval(long first, long next)
{
	return (struct itimerval){{next / 1000, next % 1000 * 1000}, {first / 1000, first % 1000 * 1000}};
}

/* ---- alarm, setitimer ---- */

CASE(alarm_left)
{
	value(alarm(0));
	value(alarm(100));
	value(alarm(50));
	value(alarm(0));
	value(alarm(0));
}

CASE(itimer_values)
{
	struct itimerval new = interval(100000, 7000), old, now;

	errno_of(setitimer(ITIMER_REAL, &new, NULL));
	errno_of(getitimer(ITIMER_REAL, &now));
	value(now.it_interval.tv_sec);
	value(now.it_value.tv_sec >= 98 && now.it_value.tv_sec <= 100);
	new = interval(0, 0);
	errno_of(setitimer(ITIMER_REAL, &new, &old));
	value(old.it_interval.tv_sec);
	value(old.it_value.tv_sec > 0);
	getitimer(ITIMER_REAL, &now);
	value(now.it_value.tv_sec);
	value(now.it_value.tv_usec);
}

CASE(itimer_wrong)
{
	static const struct itimerval wrong[] = {
		{{0, 0}, {0, -1}}, {{0, 0}, {0, 1000000}}, {{0, -1}, {1, 0}}, {{0, 1000000}, {1, 0}}, {{0, 0}, {-1, 0}},
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		begin("itimer_wrong.%u", i);
		errno_of(setitimer(ITIMER_REAL, &wrong[i], NULL));
		value(alarm(0));
	}
}

CASE(alarm_before_sleep_ends)
{
	install(SIGALRM, 0);
	alarm(1);
	sleep(3);
	value(count);
	value(code == SI_KERNEL);
}

CASE(ualarm_once)
{
	install(SIGALRM, 0);
	value((long)ualarm(2000, 0));
	while (!count)
		sleep_for(MS);
	value(count);
	sleep_for(20 * MS);
	value(count);
}

CASE(itimer_goes_on)
{
	struct itimerval often = interval(2, 2), never = interval(0, 0);

	install(SIGALRM, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	while (count < 5)
		pause();
	setitimer(ITIMER_REAL, &never, NULL);
	value(count >= 5);
}

static pthread_t first;

static void
third(int n)
{
	(void)n;
	if (++count == 3)
		pthread_kill(first, SIGUSR1);
}

CASE(itimer_while_all_wait)
{
	struct itimerval often = interval(2, 2), never = interval(0, 0);
	sigset_t set;
	int n;

	install(SIGALRM, 0);
	signal(SIGALRM, third);
	first = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	returns(sigwait(&set, &n));
	value(n == SIGUSR1);
	value(count >= 3);
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* A wait that a handler ends, or not. */
static void
waits(const char *name, int flags, int (*wait)(void))
{
	struct itimerval often = interval(5, 5), never = interval(0, 0);

	begin("interrupted.%s.%s", name, flags ? "restart" : "plain");
	install(SIGALRM, flags);
	setitimer(ITIMER_REAL, &often, NULL);
	value(wait());
	setitimer(ITIMER_REAL, &never, NULL);
	value(count >= 1);
}

static sem_t never_posted;
static int fds[2];

static int
by_sem(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 3600;
	return sem_timedwait(&never_posted, &limit) == -1 && errno == EINTR;
}
static int by_read(void) { char c; return read(fds[0], &c, 1) == -1 && errno == EINTR; }
static int by_pause(void) { return pause() == -1 && errno == EINTR; }
static int by_poll(void) { struct pollfd p = {fds[0], POLLIN, 0}; return poll(&p, 1, -1) == -1 && errno == EINTR; }
static int by_poll_limit(void) { struct pollfd p = {fds[0], POLLIN, 0}; return poll(&p, 1, 3600000) == -1 && errno == EINTR; }
static int by_nanosleep(void) { struct timespec t = {3600, 0}; return nanosleep(&t, &t) == -1 && errno == EINTR && t.tv_sec > 3500; }
static int by_sleep(void) { return sleep(3600) > 3500; }
static int by_clock_nanosleep(void) { struct timespec t = {3600, 0}; return clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == EINTR; }
static int by_sigtimedwait(void)
{
	struct timespec t = {3600, 0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &t) == -1 && errno == EINTR;
}

/* The timer is periodic: it does no harm if it expires just before the call. */
CASE(interrupted)
{
	static const struct {
		const char *name;
		int (*wait)(void);
		int restarts;
	} all[] = {{"sem_timedwait", by_sem, 1}, {"read", by_read, 1}, {"pause", by_pause, 0}, {"poll", by_poll, 0},
		   {"poll_limit", by_poll_limit, 0}, {"nanosleep", by_nanosleep, 0}, {"sleep", by_sleep, 0},
		   {"clock_nanosleep", by_clock_nanosleep, 0}, {"sigtimedwait", by_sigtimedwait, 0}};

	sem_init(&never_posted, 0, 0);
	if (pipe(fds))
		abort();
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		waits(all[i].name, 0, all[i].wait);
		if (!all[i].restarts)
			waits(all[i].name, SA_RESTART, all[i].wait);
	}
	close(fds[0]);
	close(fds[1]);
}

/* ---- timer_create ---- */

static timer_t
make(clockid_t clock, int signal_number, int with)
{
	struct sigevent event;
	timer_t timer;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = signal_number ? SIGEV_SIGNAL : SIGEV_NONE;
	event.sigev_signo = signal_number;
	event.sigev_value.sival_int = with;
	errno_of(timer_create(clock, &event, &timer));
	return timer;
}

static void
set(timer_t timer, long first_at, long next)
{
	struct itimerspec value = {{next / (1000 * MS), next % (1000 * MS)}, {first_at / (1000 * MS), first_at % (1000 * MS)}};

	errno_of(timer_settime(timer, 0, &value, NULL));
}

CASE(timer_clocks)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} bases[] = {{"realtime", CLOCK_REALTIME}, {"monotonic", CLOCK_MONOTONIC}, {"boottime", CLOCK_BOOTTIME}};

	for (unsigned i = 0; i < 3; i++) {
		struct itimerspec value_now, past = {{0, 0}, {1, 0}};
		timer_t timer;

		begin("timer.%s", bases[i].name);
		install(SIGUSR1, 0);
		timer = make(bases[i].clock, SIGUSR1, 77);
		errno_of(timer_gettime(timer, &value_now));
		value(value_now.it_value.tv_sec + value_now.it_value.tv_nsec);
		set(timer, 3 * MS, 0);
		while (!count)
			sleep_for(MS);
		value(count);
		value(data);
		value(code == SI_TIMER);
		value(timer_getoverrun(timer));
		errno_of(timer_gettime(timer, &value_now));
		value(value_now.it_value.tv_sec + value_now.it_value.tv_nsec);
		errno_of(timer_settime(timer, TIMER_ABSTIME, &past, NULL)); /* long ago: at once */
		while (count < 2)
			sleep_for(MS);
		value(count);
		errno_of(timer_delete(timer));
	}
}

CASE(timer_values)
{
	struct itimerspec new = {{7, 0}, {100, 0}}, old, now;
	timer_t timer = make(CLOCK_MONOTONIC, SIGUSR1, 1);

	signal(SIGUSR1, SIG_DFL); /* under control a handled one might expire early */
	errno_of(timer_settime(timer, 0, &new, NULL));
	errno_of(timer_gettime(timer, &now));
	value(now.it_interval.tv_sec);
	value(now.it_value.tv_sec >= 98 && now.it_value.tv_sec <= 100);
	new.it_value.tv_sec = 0;
	errno_of(timer_settime(timer, 0, &new, &old));
	value(old.it_interval.tv_sec);
	value(old.it_value.tv_sec > 0);
	errno_of(timer_gettime(timer, &now));
	value(now.it_value.tv_sec);
	new.it_value.tv_nsec = 1000 * MS;
	errno_of(timer_settime(timer, 0, &new, NULL));
	new.it_value.tv_nsec = -1;
	errno_of(timer_settime(timer, 0, &new, NULL));
	new.it_value.tv_sec = -1;
	new.it_value.tv_nsec = 0;
	errno_of(timer_settime(timer, 0, &new, NULL));
	errno_of(timer_delete(timer));
}

CASE(timer_of_nothing)
{
	struct itimerspec now;
	timer_t timer = make(CLOCK_MONOTONIC, 0, 0);

	install(SIGALRM, 0);
	set(timer, 2 * MS, 0);
	sleep_for(20 * MS);
	timer_gettime(timer, &now);
	value(now.it_value.tv_sec + now.it_value.tv_nsec);
	value(count);
	errno_of(timer_delete(timer));
}

CASE(timer_without_event)
{
	timer_t timer;

	install(SIGALRM, 0);
	errno_of(timer_create(CLOCK_MONOTONIC, NULL, &timer));
	set(timer, 2 * MS, 0);
	while (!count)
		sleep_for(MS);
	value(count);
	value(code == SI_TIMER);
	errno_of(timer_delete(timer));
}

CASE(timer_overruns)
{
	sigset_t block;
	siginfo_t info;
	timer_t timer = make(CLOCK_MONOTONIC, SIGUSR1, 5);

	install(SIGUSR1, 0);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	value(timer_getoverrun(timer));
	set(timer, 2 * MS, 2 * MS);
	sleep_for(21 * MS);
	value(sigwaitinfo(&block, &info) == SIGUSR1);
	value(info.si_overrun >= 9);
	value(timer_getoverrun(timer) == info.si_overrun);
	value(info.si_value.sival_int);
	set(timer, 0, 0);
	value(timer_getoverrun(timer));
	errno_of(timer_delete(timer));
	pthread_sigmask(SIG_UNBLOCK, &block, NULL);
}

CASE(timer_deleted)
{
	timer_t timer = make(CLOCK_MONOTONIC, SIGUSR1, 0);
	struct timespec ten = {0, 10 * MS};

	install(SIGUSR1, 0);
	signal(SIGUSR1, SIG_DFL);
	set(timer, 3600l * 1000 * MS, 0);
	errno_of(timer_delete(timer));
	errno_of(nanosleep(&ten, NULL));
	value(count);
	value(alarm(0));
}

/* Threads do not inherit timers: there is one alarm. */
static int
alarm_of_thread(void *unused)
{
	(void)unused;
	return (int)alarm(70);
}

CASE(one_alarm)
{
	signal(SIGALRM, SIG_DFL);
	alarm(100);
	value(other(alarm_of_thread, NULL));
	value(alarm(0));
}
