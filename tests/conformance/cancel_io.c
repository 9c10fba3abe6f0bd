/* Cancellation points in input and output: threads that are blocked there, or come there with a pending request. */
#include "conformance.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int ends[2], pair[2];
static sem_t hold, held;
static char byte;

static void do_read(void) { (void)!read(ends[0], &byte, 1); }
static void do_recv(void) { recv(pair[0], &byte, 1, 0); }
static void do_recvfrom(void) { recvfrom(pair[0], &byte, 1, 0, NULL, NULL); }
static void do_poll(void) { struct pollfd p = {.fd = ends[0], .events = POLLIN}; poll(&p, 1, -1); }

static void
do_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	select(ends[0] + 1, &set, NULL, NULL, NULL);
}

static void do_pause(void) { pause(); }
static void do_write(void) { (void)!write(ends[1], "x", 1); }
static void do_send(void) { send(pair[1], "x", 1, 0); }
static void do_open(void) { close(open("/dev/null", O_RDONLY)); }
static void do_close(void) { close(dup(0)); }

static const struct {
	const char *name;
	void (*run)(void);
	int blocks;
} points[] = {
	{"read", do_read, 1},	{"recv", do_recv, 1},	{"recvfrom", do_recvfrom, 1}, {"poll", do_poll, 1},
	{"select", do_select, 1}, {"pause", do_pause, 1}, {"write", do_write, 0},	      {"send", do_send, 0},
	{"open", do_open, 0},	{"close", do_close, 0},
};

static void *
at_point(void *run)
{
	sem_post(&held);
	((void (*)(void))run)();
	return NULL;
}

static void *
at_point_later(void *run)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&held);
	sem_wait(&hold);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	((void (*)(void))run)();
	return NULL;
}

static void
ended(pthread_t t)
{
	void *result;

	returns(pthread_join(t, &result));
	word(result == PTHREAD_CANCELED ? "cancelled" : "went on");
}

CASE(every_point)
{
	errno_of(pipe(ends));
	errno_of(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	for (unsigned i = 0; i < sizeof(points) / sizeof(*points); i++) {
		pthread_t t;

		sem_init(&hold, 0, 0);
		sem_init(&held, 0, 0);
		if (points[i].blocks) {
			begin("blocked.%s", points[i].name);
			returns(pthread_create(&t, NULL, at_point, (void *)points[i].run));
			sem_wait(&held);
			returns(pthread_cancel(t));
			ended(t);
		}
		begin("pending.%s", points[i].name);
		sem_init(&held, 0, 0);
		returns(pthread_create(&t, NULL, at_point_later, (void *)points[i].run));
		sem_wait(&held);
		returns(pthread_cancel(t));
		sem_post(&hold);
		ended(t);
	}
}
