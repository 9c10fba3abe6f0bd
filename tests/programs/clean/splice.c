/*
 * Data goes from a file into a pipe (splice), is doubled (tee), goes through a socket (splice, sendfile) and comes
 * out; vmsplice writes memory into a pipe. A thread with nothing to move waits. In the twin the pipe is never filled.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char path[] = "spliceXXXXXX";
static int file, first[2], second[2], sockets[2];

static void *
mover(void *arg)
{
	assert(tee(first[0], second[1], 100, 0) == 5);
	assert(splice(first[0], NULL, sockets[0], NULL, 100, 0) == 5);
	return arg;
}

int
main(void)
{
	struct iovec part = {"vm", 2};
	char text[16] = "";
	pthread_t thread;
	off_t at = 1;

	file = mkstemp(path);
	assert(file >= 0 && !unlink(path) && write(file, "?hello", 6) == 6);
	assert(!pipe(first) && !pipe(second) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	assert(splice(first[0], NULL, second[1], NULL, 1, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN);
	assert(splice(file, NULL, file, NULL, 1, 0) == -1 && errno == EINVAL && tee(-1, second[1], 1, 0) == -1);
	pthread_create(&thread, NULL, mover, NULL);
	assert(splice(file, &at, first[1], NULL, 5, 0) == 5 && at == 6);
	assert(recv(sockets[1], text, 5, MSG_WAITALL) == 5 && !strcmp(text, "hello"));
	memset(text, 0, sizeof(text));
	assert(read(second[0], text, sizeof(text)) == 5 && !strcmp(text, "hello"));
	pthread_join(thread, NULL);
	at = 0;
	assert(sendfile(sockets[0], file, &at, 100) == 6 && at == 6 && read(sockets[1], text, sizeof(text)) == 6);
	assert(!memcmp(text, "?hello", 6) && sendfile(sockets[0], file, &at, 100) == 0);
	assert(vmsplice(first[1], &part, 1, 0) == 2 && read(first[0], text, sizeof(text)) == 2 && !memcmp(text, "vm", 2));
	return 0;
}
