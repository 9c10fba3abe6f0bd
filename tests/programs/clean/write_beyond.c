/*
 * A thread offers the kernel more than it can read: 256 MiB, of which a few pages are readable. Only what the kernel took counts as
 * touched, so an execution takes no time, and a thread that writes beyond that does not race with it. The other ways to write, too.
 */
/* options: --schedules 200 --time 20s */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define OFFERED (256ul << 20)

static char *page; /* the last one before what can't be read */

static void *
writes_elsewhere(void *arg)
{
	((char *)arg)[0] = 1;
	return arg;
}

int
main(void)
{
	static char large[1 << 20];
	struct iovec part = {NULL, OFFERED};
	int sockets[2], pipes[2], file = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);
	pthread_t t;

	page = mmap(NULL, 2 * OFFERED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_WRITE) || zero < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || pipe2(pipes, O_NONBLOCK))
		return 1;
	part.iov_base = page;
	pthread_create(&t, NULL, writes_elsewhere, large + sizeof(large) - 1);
	if (write(pipes[1], page, OFFERED) != 4096 || writev(pipes[1], &part, 1) != 4096 || pwrite(file, page, OFFERED, 0) < 0)
		return 2;
	if (write(pipes[1], page + 4096, OFFERED) >= 0)
		return 3;
	if (write(pipes[1], large, sizeof(large)) >= (long)sizeof(large)) /* the pipe takes as much as it holds */
		return 4;
	if (send(sockets[0], large, sizeof(large), MSG_DONTWAIT) >= (long)sizeof(large))
		return 5;
	pthread_join(t, NULL);
	return 0;
}
