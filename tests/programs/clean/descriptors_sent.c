/*
 * A thread sends the reading end of a pipe and an eventfd through a socket (SCM_RIGHTS) and closes its own; the other
 * end reads from what came: the pipe's writer is still seen, waits end, and so does the pipe.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int sockets[2], fds[2], event;

static void *
receiver(void *arg)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte, text[8];
	struct iovec part = {&byte, 1};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	uint64_t number;
	int got[2];

	assert(recvmsg(sockets[1], &m, MSG_CMSG_CLOEXEC) == 1 && byte == 'x');
	assert(CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS && CMSG_FIRSTHDR(&m)->cmsg_len == CMSG_LEN(2 * sizeof(int)));
	memcpy(got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(got));
	assert(read(got[0], text, sizeof(text)) == 3 && !memcmp(text, "abc", 3));
	assert(read(got[0], text, sizeof(text)) == 0);
	assert(read(got[1], &number, sizeof(number)) == sizeof(number) && number == 5);
	assert(!close(got[0]) && !close(got[1]));
	return arg;
}

int
main(void)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {"x", 1};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	uint64_t number = 5;
	pthread_t thread;

	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && !pipe(fds) && (event = eventfd(0, 0)) >= 0);
	pthread_create(&thread, NULL, receiver, NULL);
	CMSG_FIRSTHDR(&m)->cmsg_level = SOL_SOCKET;
	CMSG_FIRSTHDR(&m)->cmsg_type = SCM_RIGHTS;
	CMSG_FIRSTHDR(&m)->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), (int[]){fds[0], event}, 2 * sizeof(int));
	assert(sendmsg(sockets[0], &m, 0) == 1);
	assert(!close(fds[0]));
	assert(write(fds[1], "abc", 3) == 3 && !close(fds[1]));
	assert(write(event, &number, sizeof(number)) == sizeof(number));
	pthread_join(thread, NULL);
	return 0;
}
