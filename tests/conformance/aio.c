/* Asynchronous input and output: results, and invalid requests. */
#include "conformance.h"
#include <aio.h>
#include <fcntl.h>
#include <signal.h>

static char buffers[4][16];
static struct aiocb blocks[4];

/* A file that is removed when it is closed. */
static int
file(void)
{
	char path[] = "/tmp/conformance-aio-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path))
		abort();
	return fd;
}

static struct aiocb *
block(int i, int fd, int opcode, int priority, long offset)
{
	memset(&blocks[i], 0, sizeof(blocks[i]));
	memset(buffers[i], 'a' + i, sizeof(buffers[i]));
	blocks[i].aio_fildes = fd;
	blocks[i].aio_buf = buffers[i];
	blocks[i].aio_nbytes = sizeof(buffers[i]);
	blocks[i].aio_lio_opcode = opcode;
	blocks[i].aio_reqprio = priority;
	blocks[i].aio_offset = offset;
	blocks[i].aio_sigevent.sigev_notify = SIGEV_NONE;
	return &blocks[i];
}

/* The result of the request. */
static void
outcome(struct aiocb *b)
{
	const struct aiocb *list[] = {b};

	errno_of(aio_suspend(list, 1, NULL));
	returns(aio_error(b));
	value(aio_return(b));
}

CASE(write_and_read)
{
	int fd = file();

	errno_of(aio_write(block(0, fd, 0, 0, 0)));
	outcome(&blocks[0]);
	errno_of(aio_fsync(O_SYNC, block(1, fd, 0, 0, 0)));
	outcome(&blocks[1]);
	errno_of(aio_fsync(O_DSYNC, block(1, fd, 0, -1, 0)));
	outcome(&blocks[1]);
	block(2, fd, 0, 0, 8);
	errno_of(aio_read(&blocks[2]));
	outcome(&blocks[2]);
	value(buffers[2][7]);
	value(buffers[2][8]);
	errno_of(aio_read(block(3, fd, 0, 20, 100)));
	outcome(&blocks[3]);
	close(fd);
}

CASE(bad_requests)
{
	int fd = file(), read_only = open("/dev/null", O_RDONLY), write_only = open("/dev/null", O_WRONLY);

	begin("priority");
	errno_of(aio_read(block(0, fd, 0, -1, 0)));
	returns(aio_error(&blocks[0]));
	value(aio_return(&blocks[0]));
	errno_of(aio_write(block(0, fd, 0, 21, 0)));
	begin("bad_descriptor");
	errno_of(aio_read(block(0, 999, 0, 0, 0)));
	outcome(&blocks[0]);
	errno_of(aio_write(block(0, -1, 0, 0, 0)));
	outcome(&blocks[0]);
	begin("wrong_mode");
	errno_of(aio_write(block(0, read_only, 0, 0, 0)));
	outcome(&blocks[0]);
	errno_of(aio_read(block(0, write_only, 0, 0, 0)));
	outcome(&blocks[0]);
	begin("offset");
	errno_of(aio_read(block(0, fd, 0, 0, -1)));
	outcome(&blocks[0]);
	begin("sync");
	errno_of(aio_fsync(0, block(0, fd, 0, 0, 0)));
	errno_of(aio_fsync(77, block(0, fd, 0, 0, 0)));
	errno_of(aio_fsync(O_SYNC, block(0, 999, 0, 0, 0)));
	errno_of(aio_fsync(O_SYNC, block(0, read_only, 0, 0, 0)));
	close(fd);
	close(read_only);
	close(write_only);
}

CASE(cancels)
{
	int fd = file(), other_fd = file();

	errno_of(aio_write(block(0, fd, 0, 0, 0)));
	outcome(&blocks[0]);
	value(aio_cancel(fd, &blocks[0]) == AIO_ALLDONE);
	/* with all requests of the descriptor, glibc may still have this one on its list for a moment: not asked */
	errno_of(aio_cancel(other_fd, &blocks[0]));
	errno_of(aio_cancel(999, NULL));
	close(fd);
	close(other_fd);
}

CASE(suspends)
{
	const struct aiocb *list[2] = {NULL, NULL};
	struct timespec soon = {0, 1000};
	int fd = file();

	errno_of(aio_suspend(list, 0, NULL));
	errno_of(aio_suspend(list, 2, NULL));
	errno_of(aio_suspend(list, -1, NULL));
	errno_of(aio_suspend(list, 2, &soon));
	errno_of(aio_write(block(0, fd, 0, 0, 0)));
	outcome(&blocks[0]);
	list[1] = &blocks[0];
	errno_of(aio_suspend(list, 2, NULL));
	errno_of(aio_suspend(list, 2, &soon));
	close(fd);
}

static void
three(int mode, int last, int priority, int fd)
{
	struct aiocb *list[] = {block(0, fd, LIO_WRITE, 0, 0), NULL, block(1, fd, LIO_NOP, 0, 0),
				block(2, fd, last, priority, 16)};

	errno_of(lio_listio(mode, list, 4, NULL));
	if (mode == LIO_WAIT || last == LIO_NOP || priority) {
		outcome(&blocks[0]);
		returns(aio_error(&blocks[2]));
		value(aio_return(&blocks[2]));
	} else {
		outcome(&blocks[0]);
		outcome(&blocks[2]);
	}
}

CASE(lists)
{
	static const struct {
		const char *name;
		int opcode, priority;
	} rows[] = {
		{"write", LIO_WRITE, 0}, {"read", LIO_READ, 0}, {"nop", LIO_NOP, 0},	       {"minus", -1, 0},
		{"five", 5, 0},		 {"big", 1000, 0},	{"priority", LIO_WRITE, -1},
	};
	struct aiocb *bad[1];
	int fd = file();

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin("lio_wait.%s", rows[i].name);
		three(LIO_WAIT, rows[i].opcode, rows[i].priority, fd);
		begin("lio_nowait.%s", rows[i].name);
		three(LIO_NOWAIT, rows[i].opcode, rows[i].priority, fd);
	}
	begin("lio_bad");
	bad[0] = block(0, fd, LIO_WRITE, -1, 0);
	errno_of(lio_listio(LIO_WAIT, bad, 1, NULL));
	errno_of(lio_listio(LIO_NOWAIT, bad, 1, NULL));
	errno_of(lio_listio(77, bad, 1, NULL));
	errno_of(lio_listio(LIO_WAIT, bad, 0, NULL));
	bad[0] = block(0, 999, LIO_WRITE, 0, 0);
	errno_of(lio_listio(LIO_WAIT, bad, 1, NULL));
	close(fd);
}

static sem_t told;

static void
tell(union sigval v)
{
	(void)v;
	sem_post(&told);
}

/* One notification for the whole list, also if there is nothing in it. */
CASE(list_notifies)
{
	struct sigevent how;
	struct aiocb *list[2];
	int fd = file();

	sem_init(&told, 0, 0);
	memset(&how, 0, sizeof(how));
	how.sigev_notify = SIGEV_THREAD;
	how.sigev_notify_function = tell;
	list[0] = block(0, fd, LIO_WRITE, 0, 0);
	list[1] = block(1, fd, LIO_WRITE, 0, 16);
	errno_of(lio_listio(LIO_NOWAIT, list, 2, &how));
	errno_of(sem_wait(&told));
	returns(aio_error(&blocks[0]));
	value(aio_return(&blocks[0]));
	returns(aio_error(&blocks[1]));
	value(aio_return(&blocks[1]));
	errno_of(lio_listio(LIO_NOWAIT, list, 0, &how));
	errno_of(sem_wait(&told));
	close(fd);
}
