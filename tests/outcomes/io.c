/*
 * Input and output between threads: pipes, sockets, eventfd, epoll, timerfd;
 * what can be read in which order, which calls block, what is ordered by them.
 */
#include "outcome.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

static int a[2] ALONE, b[2] ALONE, fd ALONE;
static int data ALONE, r1 ALONE, r2 ALONE;
static char text[8] ALONE;

#define MUST(condition) ((condition) ? (void)0 : (perror(#condition), abort()))

/* ---- pipes ---- */

THREAD(writes_a) { MUST(write(a[1], "a", 1) == 1); }
THREAD(writes_b) { MUST(write(a[1], "b", 1) == 1); }
THREAD(reads_two) { MUST(read(a[0], text, 1) == 1); MUST(read(a[0], text + 1, 1) == 1); }
static void two_writers(void)
{
	MUST(!pipe(a));
	RUN(writes_a, writes_b, reads_two);
	OUTCOME("%s", text);
}

THREAD(reads_once) { r1 = (int)read(a[0], text, 8); }
static void partial(void)
{
	MUST(!pipe(a));
	RUN(writes_a, writes_b, reads_once);
	OUTCOME("%d %s", r1, text);
}

THREAD(publishes) { data = 42; MUST(write(a[1], "x", 1) == 1); }
THREAD(learns) { char c; MUST(read(a[0], &c, 1) == 1); r1 = data; }
static void ordered(void)
{
	MUST(!pipe(a));
	RUN(publishes, learns);
	OUTCOME("%d", r1);
}

THREAD(closes) { MUST(!close(a[1])); }
THREAD(reads_to_end) { ssize_t n; while ((n = read(a[0], text, 8)) > 0) r1 += (int)n; r2 = (int)n; }
THREAD(writes_and_closes) { MUST(write(a[1], "abc", 3) == 3); MUST(!close(a[1])); }
static void end_of_file(void)
{
	MUST(!pipe(a));
	RUN(writes_and_closes, reads_to_end);
	OUTCOME("%d %d", r1, r2);
}

static void end_twice(void)
{
	MUST(!pipe(a));
	MUST((fd = dup(a[1])) >= 0);
	MUST(!close(fd));
	RUN(closes, reads_to_end);
	OUTCOME("%d %d", r1, r2);
}

static void end_kept_open(void)
{
	MUST(!pipe(a));
	MUST((fd = dup(a[1])) >= 0);
	RUN(closes, reads_to_end);
	OUTCOME("%d %d", r1, r2);
}

/* five bytes into room for one page: the writer waits until the reader has made room */
static char page[65536];
THREAD(writes_much) { r1 = (int)write(a[1], page, sizeof(page)) + (int)write(a[1], "last!", 5); }
THREAD(reads_much)
{
	static char into[65541];

	while (r2 < 65541)
		r2 += (int)read(a[0], into, sizeof(into));
	memcpy(text, into, 0);
}
static void full_pipe(void)
{
	MUST(!pipe(a));
	RUN(writes_much, reads_much);
	OUTCOME("%d %d", r1, r2);
}

THREAD(reads_a_writes_b) { char c; MUST(read(a[0], &c, 1) == 1); MUST(write(b[1], &c, 1) == 1); }
THREAD(reads_b_writes_a) { char c; MUST(read(b[0], &c, 1) == 1); MUST(write(a[1], &c, 1) == 1); }
static void after_you(void)
{
	MUST(!pipe(a) && !pipe(b));
	RUN(reads_a_writes_b, reads_b_writes_a);
	OUTCOME("done");
}

THREAD(tries_once)
{
	char c;

	r1 = (int)read(a[0], &c, 1);
	r2 = r1 < 0 ? errno == EAGAIN : 0;
}
static void nonblocking(void)
{
	MUST(!pipe2(a, O_NONBLOCK));
	RUN(tries_once, writes_a);
	OUTCOME("%d %d", r1, r2);
}

THREAD(tries_until) { char c; while (read(a[0], &c, 1) < 0) MUST(errno == EAGAIN); r1 = 1; }
static void polling(void)
{
	MUST(!pipe2(a, O_NONBLOCK));
	RUN(tries_until, writes_a);
	OUTCOME("%d", r1);
}
static void polling_for_nobody(void)
{
	MUST(!pipe2(a, O_NONBLOCK));
	RUN(tries_until);
	OUTCOME("%d", r1);
}

/* ---- several descriptors ---- */

THREAD(polls)
{
	struct pollfd p[2] = {{a[0], POLLIN, 0}, {b[0], POLLIN, 0}};

	r1 = poll(p, 2, -1);
	r2 = (p[0].revents ? 1 : 0) + (p[1].revents ? 2 : 0);
}
THREAD(writes_to_b) { MUST(write(b[1], "b", 1) == 1); }
static void poll_two(void)
{
	MUST(!pipe(a) && !pipe(b));
	RUN(writes_a, writes_to_b, polls);
	OUTCOME("%d %d", r1, r2);
}

THREAD(polls_for_a_while) { struct pollfd p = {a[0], POLLIN, 0}; r1 = poll(&p, 1, 100); }
static void poll_limit(void)
{
	MUST(!pipe(a));
	RUN(writes_a, polls_for_a_while);
	OUTCOME("%d", r1);
}
static void poll_limit_alone(void)
{
	struct timespec before, after;

	MUST(!pipe(a));
	clock_gettime(CLOCK_MONOTONIC, &before);
	RUN(polls_for_a_while);
	clock_gettime(CLOCK_MONOTONIC, &after);
	OUTCOME("%d %d", r1, (after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec >= 100000000);
}

THREAD(selects)
{
	fd_set in;
	struct timeval limit = {5, 0};

	FD_ZERO(&in);
	FD_SET(a[0], &in);
	FD_SET(b[0], &in);
	r1 = select((a[0] > b[0] ? a[0] : b[0]) + 1, &in, NULL, NULL, &limit);
	r2 = (FD_ISSET(a[0], &in) ? 1 : 0) + (FD_ISSET(b[0], &in) ? 2 : 0);
}
static void select_two(void)
{
	MUST(!pipe(a) && !pipe(b));
	RUN(writes_a, selects);
	OUTCOME("%d %d", r1, r2);
}

static int watcher ALONE;
static void watch(int what)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = what};

	MUST(!epoll_ctl(watcher, EPOLL_CTL_ADD, what, &e));
}
THREAD(waits_for_events)
{
	struct epoll_event e[4];
	int n = epoll_wait(watcher, e, 4, -1);

	r1 = n;
	for (int i = 0; i < n; i++)
		r2 = r2 * 10 + (e[i].data.fd == a[0] ? 1 : 2);
}
static void epoll_two(void)
{
	MUST(!pipe(a) && !pipe(b));
	MUST((watcher = epoll_create1(0)) >= 0);
	watch(a[0]);
	watch(b[0]);
	RUN(writes_a, writes_to_b, waits_for_events);
	OUTCOME("%d %d", r1, r2);
}
static void epoll_for_nobody(void)
{
	MUST(!pipe(a));
	MUST((watcher = epoll_create1(0)) >= 0);
	watch(a[0]);
	RUN(waits_for_events);
	OUTCOME("done");
}

/* ---- counters and timers ---- */

THREAD(adds_three) { uint64_t n = 3; MUST(write(fd, &n, 8) == 8); }
THREAD(adds_four) { MUST(!eventfd_write(fd, 4)); }
THREAD(takes) { uint64_t n; MUST(read(fd, &n, 8) == 8); r1 = (int)n; }
static void counter(void)
{
	MUST((fd = eventfd(0, 0)) >= 0);
	RUN(adds_three, adds_four, takes);
	OUTCOME("%d", r1);
}

THREAD(takes_one)
{
	uint64_t n;

	MUST(read(fd, &n, 8) == 8 && n == 1);
	r1 += r2;
	r2++;
	MUST(write(fd, &n, 8) == 8);
}
static void as_lock(void) /* a semaphore that protects r1 and r2 */
{
	MUST((fd = eventfd(1, EFD_SEMAPHORE)) >= 0);
	RUN(takes_one, takes_one);
	OUTCOME("%d %d", r1, r2);
}

THREAD(writes_too_much) { uint64_t n = UINT64_MAX - 1; MUST(write(fd, &n, 8) == 8); r2 = 1; }
static void full_counter(void)
{
	MUST((fd = eventfd(1, 0)) >= 0);
	RUN(writes_too_much, takes);
	OUTCOME("%d %d", r1, r2);
}

static void start_timer(long first, long then)
{
	struct itimerspec t = {{0, then}, {0, first}};

	MUST((fd = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
	MUST(!timerfd_settime(fd, 0, &t, NULL));
}
static void timer(void)
{
	start_timer(1000000, 0);
	RUN(takes);
	OUTCOME("%d", r1);
}
THREAD(sleeps_long) { usleep(2500); r2 = 1; }
static void periodic_timer(void) /* each millisecond; before, or after two and a half */
{
	start_timer(1000000, 1000000);
	RUN(sleeps_long);
	takes_do(0);
	OUTCOME("%d", r1);
}
THREAD(waits_for_timer_or_a)
{
	struct pollfd p[2] = {{a[0], POLLIN, 0}, {fd, POLLIN, 0}};

	poll(p, 2, -1);
	r1 = p[0].revents ? 1 : 2;
}
static void timer_or_data(void)
{
	MUST(!pipe(a));
	start_timer(1000000, 0);
	RUN(writes_a, waits_for_timer_or_a);
	OUTCOME("%d", r1);
}

/* ---- sockets ---- */

THREAD(asks) { MUST(send(a[0], "?", 1, 0) == 1); MUST(recv(a[0], text, 1, 0) == 1); }
THREAD(answers) { char c; MUST(recv(a[1], &c, 1, 0) == 1); MUST(c == '?'); MUST(send(a[1], "!", 1, 0) == 1); }
static void pair(void)
{
	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, a));
	RUN(asks, answers);
	OUTCOME("%s", text);
}

static void messages(void)
{
	MUST(!socketpair(AF_UNIX, SOCK_DGRAM, 0, a));
	RUN(writes_a, writes_b);
	r1 = (int)recv(a[0], text, 8, 0);
	r2 = (int)recv(a[0], text + r1, 7, 0);
	OUTCOME("%d %d %s", r1, r2, text);
}

THREAD(shuts_down) { MUST(!shutdown(a[1], SHUT_WR)); }
static void half_closed(void)
{
	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, a));
	RUN(shuts_down, reads_to_end);
	OUTCOME("%d %d", r1, r2);
}

THREAD(receives_for_a_while)
{
	struct timeval limit = {1, 0};

	MUST(!setsockopt(a[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
	r1 = (int)recv(a[0], text, 1, 0);
	r2 = r1 < 0 ? errno == EAGAIN : 0;
}
static void receive_limit(void)
{
	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, a));
	RUN(writes_a, receives_for_a_while);
	OUTCOME("%d %d", r1, r2);
}

static union {
	struct sockaddr any;
	struct sockaddr_un un;
	struct sockaddr_in in;
} address ALONE;
static socklen_t address_length ALONE;
static int listener ALONE;

static void listen_unix(void)
{
	address.un = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address.un.sun_path, "\0sleave-outcomes-XXXXXX", 24);
	for (int i = 0, pid = getpid(); i < 6; i++, pid /= 10) /* processes run at the same time */
		address.un.sun_path[17 + i] = (char)('0' + pid % 10);
	address_length = sizeof(sa_family_t) + 24;
	MUST((listener = socket(AF_UNIX, SOCK_STREAM, 0)) >= 0);
	MUST(!bind(listener, &address.any, address_length));
	MUST(!listen(listener, 5));
}
static void listen_tcp(void)
{
	address.in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	address_length = sizeof(address.in);
	MUST((listener = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
	MUST(!bind(listener, &address.any, address_length));
	MUST(!getsockname(listener, &address.any, &address_length));
	MUST(!listen(listener, 5));
}
THREAD(client)
{
	char c = (char)('0' + self);
	int s = socket(address.any.sa_family, SOCK_STREAM, 0);

	MUST(s >= 0);
	MUST(!connect(s, &address.any, address_length));
	MUST(write(s, &c, 1) == 1);
	MUST(read(s, &c, 1) == 1);
	MUST(c == '0' + self);
	MUST(read(s, &c, 1) == 0);
	close(s);
}
THREAD(server)
{
	for (int i = 0; i < 2; i++) {
		int s = accept(listener, NULL, NULL);

		MUST(s >= 0);
		MUST(read(s, text + i, 1) == 1);
		MUST(write(s, text + i, 1) == 1);
		close(s);
	}
}
static void echo_unix(void)
{
	listen_unix();
	RUN(client, client, server);
	OUTCOME("%s", text);
}
static void echo_tcp(void)
{
	listen_tcp();
	RUN(client, client, server);
	OUTCOME("%s", text);
}

THREAD(sends_datagram)
{
	char c = (char)('0' + self);
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	MUST(s >= 0);
	MUST(sendto(s, &c, 1, 0, &address.any, address_length) == 1);
}
static void datagrams(void)
{
	address.in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	address_length = sizeof(address.in);
	MUST((a[0] = socket(AF_INET, SOCK_DGRAM, 0)) >= 0);
	MUST(!bind(a[0], &address.any, address_length));
	MUST(!getsockname(a[0], &address.any, &address_length));
	RUN(sends_datagram, sends_datagram, reads_two);
	OUTCOME("%s", text);
}

/* ---- state from before: the same at the start of each execution ---- */

static int old[2] ALONE, old_event ALONE;

THREAD(adds_to_old) { MUST(write(old[1], "x", 1) == 1); MUST(!eventfd_write(old_event, 2)); }
static void from_before(void)
{
	eventfd_t n;

	RUN(adds_to_old);
	r1 = (int)read(old[0], text, 7);
	MUST(!eventfd_read(old_event, &n));
	MUST(write(old[1], "left", 4) == 4);
	MUST(!close(old[0]));
	MUST(dup2(old[1], old_event) == old_event);
	OUTCOME("%d %s %d", r1, text, (int)n);
}

/* descriptor numbers are shared: a thread that closes twice may close another's */
THREAD(closes_twice) { close(a[0]); close(a[0]); }
THREAD(opens_and_uses) { int f = open("/dev/null", O_WRONLY); r1 = (int)write(f, "x", 1); }
static void closed_twice(void)
{
	MUST(!pipe(a));
	RUN(closes_twice, opens_and_uses);
	OUTCOME("%d", r1);
}

THREAD(writes_if_read) { MUST(write(a[1], "x", 1) == 1 || errno == EPIPE); }

/* closing does not wake a thread in the call; a later call finds nothing there */
THREAD(closes_reader) { MUST(!close(a[0])); }
THREAD(reads_closed) { char c; r1 = (int)read(a[0], &c, 1); r2 = r1 < 0 && errno == EBADF; }
static void closed_while_read(void)
{
	MUST(!pipe(a));
	RUN(reads_closed, closes_reader);
	OUTCOME("%d %d", r1, r2);
}
/* poll goes on waiting for a closed descriptor; when there is something else, it reports the closed one too */
THREAD(polls_closed)
{
	struct pollfd p[2] = {{a[0], POLLIN, 0}, {b[0], POLLIN, 0}};

	r1 = poll(p, 2, -1);
	r2 = (p[0].revents & POLLNVAL ? 1 : 0) + (p[1].revents ? 2 : 0);
}
static void closed_while_polled(void)
{
	MUST(!pipe(a) && !pipe(b));
	RUN(polls_closed, closes_reader);
	OUTCOME("%d %d", r1, r2);
}
static void closed_while_polled_then_written(void)
{
	MUST(!pipe(a) && !pipe(b));
	RUN(polls_closed, closes_reader, writes_to_b);
	OUTCOME("%d %d", r1, r2);
}
THREAD(closes_watcher) { MUST(!close(watcher)); }
THREAD(waits_closed) { struct epoll_event e; r1 = epoll_wait(watcher, &e, 1, -1); r2 = r1 < 0 && errno == EBADF; }
static void closed_while_watched(void)
{
	MUST(!pipe(a) && (watcher = epoll_create1(0)) >= 0);
	watch(a[0]);
	RUN(waits_closed, closes_watcher, writes_a);
	OUTCOME("%d %d", r1, r2);
}
static void closed_while_read_then_written(void)
{
	MUST(!pipe(a));
	signal(SIGPIPE, SIG_IGN);
	RUN(reads_closed, closes_reader, writes_if_read);
	OUTCOME("%d %d", r1, r2);
}

/* a file synchronises threads, too */
THREAD(writes_file) { MUST(pwrite(fd, "b", 1, 0) == 1); }
THREAD(reads_file) { MUST(pread(fd, text, 1, 0) == 1); }
static void file(void)
{
	char path[] = "/tmp/sleave-outcomes-XXXXXX";

	MUST((fd = mkstemp(path)) >= 0 && !unlink(path));
	MUST(pwrite(fd, "a", 1, 0) == 1);
	RUN(writes_file, reads_file);
	OUTCOME("%s", text);
}

int
main(void)
{
	MUST(!pipe(old) && write(old[1], "abc", 3) == 3 && (old_event = eventfd(5, 0)) >= 0);
	EXPECT_N(from_before, 1, "4 abcx 7");
	MUST(read(old[0], text, 8) == 3 && !memcmp(text, "abc", 3));
	memset(text, 0, sizeof(text));
	RACY(closed_twice, "-1", "1"); /* these three on the descriptor */
	EXPECT_FINDING(closed_while_read, "waits for something to read from descriptors", "-1 1");
	RACY(closed_while_read_then_written, "-1 1", "1 0");
	EXPECT_FINDING(closed_while_polled, "waits for", "1 1");
	EXPECT(closed_while_polled_then_written, "1 1", "2 3", "1 2");
	RACY(closed_while_watched, "-1 1", "1 0");
	EXPECT(file, "a", "b");
	EXPECT(two_writers, "ab", "ba");
	EXPECT(partial, "1 a", "1 b", "2 ab", "2 ba");
	EXPECT_N(ordered, 1, "42");
	EXPECT(end_of_file, "3 0");
	EXPECT(end_twice, "0 0");
	EXPECT_FINDING(end_kept_open, "waits for something to read from descriptors", NULL);
	EXPECT(full_pipe, "65541 65541");
	EXPECT_FINDING(after_you, "waits for something to read from descriptors", NULL);
	EXPECT(nonblocking, "-1 1", "1 0");
	EXPECT(polling, "1");
	EXPECT_FINDING(polling_for_nobody, "deadlock", NULL);
	EXPECT(poll_two, "1 1", "1 2", "2 3");
	EXPECT(poll_limit, "0", "1");
	EXPECT(poll_limit_alone, "0 1");
	EXPECT(select_two, "0 0", "1 1");
	EXPECT(epoll_two, "1 1", "1 2", "2 12", "2 21");
	EXPECT_FINDING(epoll_for_nobody, "deadlock", NULL);
	EXPECT(counter, "3", "4", "7");
	EXPECT(as_lock, "1 2");
	EXPECT(full_counter, "1 1");
	EXPECT(timer, "1");
	EXPECT(periodic_timer, "2");
	EXPECT(timer_or_data, "1", "2");
	EXPECT(pair, "!");
	EXPECT(messages, "1 1 ab", "1 1 ba");
	EXPECT(half_closed, "0 0");
	EXPECT(receive_limit, "-1 1", "1 0");
	EXPECT_WITH(echo_unix, 0, NULL, OPTIONS(.strategy = "random", .schedules = 500), "12", "21");
	EXPECT_WITH(echo_tcp, 0, NULL, OPTIONS(.strategy = "random", .schedules = 500), "12", "21");
	EXPECT(datagrams, "12", "21");
	return done();
}
