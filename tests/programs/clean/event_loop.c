/* An event loop with epoll: an eventfd brings work, a timer ends it after ten seconds that take no time. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int loop, event, timer;

static void watch(int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	assert(!epoll_ctl(loop, EPOLL_CTL_ADD, fd, &e));
}

static void *poster(void *unused)
{
	assert(!eventfd_write(event, 1));
	return unused;
}

int main(void)
{
	struct itimerspec limit = {.it_value = {10, 0}};
	uint64_t got, sum = 0;
	pthread_t thread;
	int ended = 0;

	loop = epoll_create1(0);
	event = eventfd(0, EFD_NONBLOCK);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	watch(event);
	watch(timer);
	assert(!timerfd_settime(timer, 0, &limit, NULL));
	pthread_create(&thread, NULL, poster, NULL);
	while (!ended) {
		struct epoll_event e[2];
		int n = epoll_wait(loop, e, 2, -1);

		assert(n > 0);
		for (int i = 0; i < n; i++) {
			assert(read(e[i].data.fd, &got, sizeof(got)) == sizeof(got));
			if (e[i].data.fd == event)
				sum += got;
			else
				ended = 1;
		}
	}
	pthread_join(thread, NULL);
	assert(sum <= 1); /* the timer may end the loop before anything came */
	return 0;
}
