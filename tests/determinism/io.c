/* Pipes, sockets, counters, timers, files, randomness, from three threads. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int pipes[2], pair[2], event, timer;
static uint64_t mixed[3];

static void *work(void *argument)
{
	long self = (long)argument;
	uint64_t n = 1;
	char c = (char)self;
	struct pollfd p[3] = {{pipes[0], POLLIN, 0}, {event, POLLIN, 0}, {timer, POLLIN, 0}};

	for (int i = 0; i < 3; i++) {
		if (write(pipes[1], &c, 1) != 1 || write(event, &n, 8) != 8)
			abort();
		if (send(pair[self & 1], &c, 1, 0) != 1)
			abort();
		if (poll(p, 3, 10) > 0 && (p[1].revents & POLLIN))
			mixed[self] += (uint64_t)read(event, &n, 8) * (n + 1);
		n = 1;
		mixed[self] += (uint64_t)recv(pair[!(self & 1)], &c, 1, MSG_DONTWAIT) * 3;
	}
	getrandom(&n, sizeof(n), 0);
	mixed[self] ^= n;
	return NULL;
}

int main(void)
{
	struct itimerspec limit = {{0, 1000000}, {0, 1000000}};
	pthread_t threads[2];

	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	event = eventfd(0, EFD_NONBLOCK);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(timer, 0, &limit, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	work((void *)2);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return mixed[0] + mixed[1] + mixed[2] == 7;
}
