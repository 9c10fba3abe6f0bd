/*
 * Descriptors that one thread opens, and another uses and closes: handed over through a pipe, through a queue under a
 * mutex, through epoll. Their numbers are used again by the first thread, before the other has ended.
 */
/* options: --schedules 300 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int numbers[2], watcher, queued = -1;

static void *
take(void *unused)
{
	struct epoll_event event;
	int fd;
	char byte;

	if (read(numbers[0], &fd, sizeof(fd)) != sizeof(fd) || write(fd, "x", 1) != 1 || close(fd))
		abort();
	if (epoll_wait(watcher, &event, 1, -1) != 1 || read(event.data.fd, &byte, 1) != 1 || close(event.data.fd))
		abort();
	pthread_mutex_lock(&lock);
	if (queued >= 0)
		close(queued);
	queued = -1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t thread;
	int pair[2], more[2];

	if (pipe(numbers) || (watcher = epoll_create1(0)) < 0)
		abort();
	pthread_create(&thread, NULL, take, NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(numbers[1], &pair[0], sizeof(int)) != sizeof(int) || pipe(more))
		abort();
	event.data.fd = pair[1];
	epoll_ctl(watcher, EPOLL_CTL_ADD, pair[1], &event);
	pthread_mutex_lock(&lock);
	queued = more[0];
	pthread_mutex_unlock(&lock);
	close(more[1]);
	pthread_join(thread, NULL);
	return 0;
}
