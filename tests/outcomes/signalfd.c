/*
 * signalfd: signals are read instead of handled. A thread that reads, polls or waits sees what is pending
 * for itself and for the process; each signal is read once; the mask decides, and may be changed.
 */
#include "outcome.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

static int fd ALONE, watcher ALONE, r1 ALONE, r2 ALONE, data ALONE;
static struct signalfd_siginfo infos[4] ALONE;
static pthread_t reader_thread ALONE;

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))

static sigset_t set_of(int a, int b)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, a);
	if (b)
		sigaddset(&set, b);
	return set;
}
static void make(int a, int b, int flags)
{
	sigset_t set = set_of(a, b);

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	MUST((fd = signalfd(-1, &set, flags)) >= 0);
}
THREAD(sends) { data = 42; MUST(!kill(getpid(), SIGUSR1)); }
THREAD(sends_other) { MUST(!kill(getpid(), SIGUSR2)); }
THREAD(reads)
{
	MUST(read(fd, infos, sizeof(infos[0])) == sizeof(infos[0]));
	r1 = (int)infos[0].ssi_signo;
	r2 = data;
}

/* it waits until the signal is there, and knows what the sender knew and which process it was */
static void waits(void)
{
	make(SIGUSR1, 0, 0);
	RUN(sends, reads);
	OUTCOME("%d %d %d %d %d", r1 == SIGUSR1, r2, infos[0].ssi_code == SI_USER, infos[0].ssi_pid == (unsigned)getpid(),
		infos[0].ssi_uid == getuid());
}

static void nobody_sends(void)
{
	make(SIGUSR1, 0, 0);
	RUN(reads);
	OUTCOME("read");
}

/* the lower number first, both at once if both are there */
THREAD(reads_both)
{
	ssize_t n = read(fd, infos, sizeof(infos));

	r1 = (int)(n / (ssize_t)sizeof(infos[0]));
	r2 = (int)infos[0].ssi_signo;
}
static void two_signals(void)
{
	make(SIGUSR1, SIGUSR2, 0);
	RUN(sends, sends_other, reads_both);
	OUTCOME("%d %s", r1, r2 == SIGUSR1 ? "usr1" : "usr2");
}

/* one signal, two readers: the second waits for ever */
static void taken_once(void)
{
	make(SIGUSR1, 0, 0);
	RUN(sends, reads, reads);
	OUTCOME("both");
}

THREAD(tries)
{
	r1 = (int)read(fd, infos, sizeof(infos[0]));
	r2 = r1 < 0 ? errno : 0;
}
static void nonblocking(void)
{
	make(SIGUSR1, 0, SFD_NONBLOCK | SFD_CLOEXEC);
	MUST(fcntl(fd, F_GETFL) & O_NONBLOCK);
	MUST(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	RUN(sends, tries);
	OUTCOME("%d %d", r1 > 0, r2 == EAGAIN);
}

THREAD(polls) { struct pollfd p = {fd, POLLIN, 0}; r1 = poll(&p, 1, -1) * 100 + p.revents; r2 = data; }
static void polled(void)
{
	make(SIGUSR1, 0, 0);
	RUN(sends, polls);
	OUTCOME("%d %d", r1, r2);
}

THREAD(polls_once) { struct pollfd p = {fd, POLLIN, 0}; r1 = poll(&p, 1, 0); }
static void polled_once(void)
{
	make(SIGUSR1, 0, 0);
	RUN(sends, polls_once);
	OUTCOME("%d", r1);
}

THREAD(selects)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd, &in);
	r1 = select(fd + 1, &in, NULL, NULL, NULL) + FD_ISSET(fd, &in);
}
static void selected(void)
{
	make(SIGUSR1, 0, 0);
	RUN(sends, selects);
	OUTCOME("%d", r1);
}

static void watch(unsigned events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};

	MUST((watcher = epoll_create1(0)) >= 0);
	MUST(!epoll_ctl(watcher, EPOLL_CTL_ADD, fd, &e));
}
THREAD(waits_for_events)
{
	struct epoll_event e;

	MUST(epoll_wait(watcher, &e, 1, -1) == 1 && e.data.fd == fd);
	MUST(read(fd, infos, sizeof(infos[0])) == sizeof(infos[0]));
	r1 = epoll_wait(watcher, &e, 1, 0);
}
static void by_epoll(void)
{
	make(SIGUSR1, 0, SFD_NONBLOCK);
	watch(EPOLLIN);
	RUN(sends, waits_for_events);
	OUTCOME("%d", r1);
}

/* an edge for each signal, although the first is still there */
THREAD(counts_edges)
{
	struct epoll_event e;

	r1 = epoll_wait(watcher, &e, 1, -1);
	r2 = epoll_wait(watcher, &e, 1, 0);
}
static void edges(void)
{
	make(SIGUSR1, SIGUSR2, SFD_NONBLOCK);
	watch(EPOLLIN | EPOLLET);
	RUN(sends, sends_other, counts_edges);
	OUTCOME("%d %d", r1, r2);
}

/* a signal for a thread is seen by that thread only */
static sem_t started ALONE;
THREAD(looks_for_itself) { reader_thread = pthread_self(); sem_post(&started); reads_do(self); }
THREAD(sends_to_thread)
{
	union sigval value = {.sival_int = 7};

	sem_wait(&started);
	MUST(!pthread_sigqueue(reader_thread, SIGRTMIN, value));
}
static void to_a_thread(void)
{
	sem_init(&started, 0, 0);
	make(SIGRTMIN, 0, 0);
	RUN(looks_for_itself, sends_to_thread);
	OUTCOME("%d %d %d", r1 == SIGRTMIN, infos[0].ssi_code == SI_QUEUE, infos[0].ssi_int);
}
THREAD(sends_to_itself) { MUST(!raise(SIGUSR1)); }
static void to_another_thread(void)
{
	make(SIGUSR1, 0, SFD_NONBLOCK);
	RUN(sends_to_itself, tries);
	OUTCOME("%d", r1 > 0);
}

/* the mask is changed while a thread waits */
THREAD(changes) { sigset_t set = set_of(SIGUSR2, 0); MUST(signalfd(fd, &set, 0) == fd); }
static void changed(void)
{
	sigset_t set = set_of(SIGUSR2, 0);

	make(SIGUSR1, 0, 0);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	MUST(!kill(getpid(), SIGUSR2));
	RUN(changes, reads);
	OUTCOME("%s", r1 == SIGUSR2 ? "usr2" : "usr1");
}

/* nothing blocks the signal in one of the threads: the program ends there */
THREAD(forgets_to_block) { sigset_t set = set_of(SIGUSR1, 0); pthread_sigmask(SIG_UNBLOCK, &set, NULL); sched_yield(); }
static void not_blocked(void)
{
	make(SIGUSR1, 0, SFD_NONBLOCK);
	RUN(sends, forgets_to_block);
	tries(NULL);
	OUTCOME("%d", r1 > 0);
}

/* a timer's signal */
THREAD(alarms) { alarm(10); reads_do(self); }
static void of_a_timer(void)
{
	make(SIGALRM, 0, 0);
	RUN(alarms);
	OUTCOME("%d %d", r1 == SIGALRM, infos[0].ssi_code == SI_KERNEL);
}

THREAD(errs)
{
	sigset_t set = set_of(SIGUSR1, 0);
	int e[8], p[2];
	char byte;

	make(SIGUSR1, 0, SFD_NONBLOCK);
	MUST(!pipe(p));
	e[0] = read(fd, infos, 8) < 0 ? errno : 0;
	e[1] = write(fd, infos, sizeof(infos[0])) < 0 ? errno : 0;
	e[2] = signalfd(-1, &set, 1 << 30) < 0 ? errno : 0;
	e[3] = signalfd(p[0], &set, 0) < 0 ? errno : 0;
	e[4] = signalfd(1234, &set, 0) < 0 ? errno : 0;
	e[5] = pread(fd, &byte, 1, 0) < 0 ? errno : 0;
	e[6] = (int)syscall(SYS_signalfd4, -1, &set, 4, 0) < 0 ? errno : 0;
	e[7] = (int)syscall(SYS_signalfd4, fd, &set, 8, 0) == fd;
	OUTCOME("%d", e[0] == EINVAL && e[1] == EINVAL && e[2] == EINVAL && e[3] == EINVAL && e[4] == EBADF &&
			      e[5] == ESPIPE && e[6] == EINVAL && e[7]);
}
static void errors(void) { RUN(errs); }

int main(void)
{
	EXPECT(waits, "1 42 1 1 1");
	EXPECT_FINDING(nobody_sends, "signalfd", NULL);
	EXPECT(two_signals, "1 usr1", "1 usr2", "2 usr1");
	EXPECT_FINDING(taken_once, "deadlock", NULL);
	EXPECT(nonblocking, "1 0", "0 1");
	EXPECT(polled, "101 42");
	EXPECT(polled_once, "0", "1");
	EXPECT(selected, "2");
	EXPECT(by_epoll, "0");
	EXPECT(edges, "1 1", "1 0");
	EXPECT(to_a_thread, "1 1 7");
	EXPECT(to_another_thread, "0");
	EXPECT(changed, "usr2");
	EXPECT_FINDING(not_blocked, "SIGUSR1", "1");
	EXPECT(of_a_timer, "1 1");
	EXPECT(errors, "1");
	return done();
}
