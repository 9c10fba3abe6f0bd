/* Descriptors, files and their locks, message queues: what the calls return. */
#include "conformance.h"
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

/* On an invalid descriptor, and on a closed one. */
CASE(bad_descriptors)
{
	struct iovec part = {"x", 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct epoll_event event;
	struct itimerspec left;
	struct pollfd p;
	int fds[2];
	char byte;

	value(pipe(fds));
	close(fds[0]);
	close(fds[1]);
	for (int i = 0; i < 2; i++) {
		int fd = i ? fds[0] : -1;

		begin(i ? "bad_descriptors.closed" : "bad_descriptors.none");
		errno_of(read(fd, &byte, 1));
		errno_of(write(fd, "x", 1));
		errno_of(readv(fd, &part, 1));
		errno_of(writev(fd, &part, 1));
		errno_of(read(fd, &byte, 0));
		errno_of(pread(fd, &byte, 1, 0));
		errno_of(pwrite(fd, "x", 1, 0));
		errno_of(send(fd, "x", 1, 0));
		errno_of(recv(fd, &byte, 1, 0));
		errno_of(sendmsg(fd, &message, 0));
		errno_of(recvmsg(fd, &message, 0));
		errno_of(accept(fd, NULL, NULL));
		errno_of(listen(fd, 1));
		errno_of(shutdown(fd, SHUT_RD));
		errno_of(close(fd));
		errno_of(dup(fd));
		errno_of(dup2(fd, 50));
		errno_of(fcntl(fd, F_GETFL));
		errno_of(lseek(fd, 0, SEEK_SET));
		errno_of(ftruncate(fd, 0));
		errno_of(ioctl(fd, FIONREAD, &i));
		errno_of(flock(fd, LOCK_SH));
		errno_of(lockf(fd, F_LOCK, 0));
		errno_of(splice(fd, NULL, 1, NULL, 1, 0));
		errno_of(mq_send(fd, "x", 1, 0));
		errno_of(epoll_wait(fd, &event, 1, 0));
		errno_of(timerfd_gettime(fd, &left));
		p = (struct pollfd){.fd = fd, .events = POLLIN};
		value(poll(&p, 1, 0));
		value(p.revents);
	}
}

CASE(wrong_descriptors)
{
	sigset_t set;
	uint64_t number = 1;
	int fds[2], timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), signals, event = eventfd(0, EFD_NONBLOCK);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signals = signalfd(-1, &set, SFD_NONBLOCK);
	value(pipe2(fds, O_NONBLOCK));
	errno_of(read(fds[1], &number, 1));
	errno_of(write(fds[0], &number, 1));
	errno_of(read(fds[0], &number, 1));
	errno_of(lseek(fds[0], 0, SEEK_SET));
	errno_of(pread(fds[0], &number, 1, 0));
	errno_of(pread(fds[0], &number, 1, -1));
	errno_of(write(timer, &number, sizeof(number)));
	errno_of(read(timer, &number, sizeof(number)));
	errno_of(read(timer, &number, 4));
	errno_of(write(signals, &number, sizeof(number)));
	errno_of(read(signals, &number, sizeof(number)));
	errno_of(read(event, &number, sizeof(number)));
	errno_of(read(event, &number, 4));
	errno_of(send(fds[1], "x", 1, 0));
	errno_of(accept(fds[0], NULL, NULL));
	errno_of(tee(fds[0], fds[1], 1, 0));
	errno_of(splice(timer, NULL, event, NULL, 1, 0));
	errno_of(signalfd(event, &set, 0));
	errno_of(timerfd_settime(event, 0, &(struct itimerspec){.it_value = {1, 0}}, NULL));
	errno_of(epoll_ctl(event, EPOLL_CTL_ADD, timer, NULL));
	errno_of(mq_receive(event, (char *)&number, 1, NULL));
	close(fds[0]);
	close(fds[1]);
	close(timer);
	close(signals);
	close(event);
}

CASE(locks_of_files)
{
	char path[] = "conformanceXXXXXX";
	int a = mkstemp(path), b = open(path, O_RDWR), c = dup(a);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};

	unlink(path);
	errno_of(flock(a, LOCK_EX));
	errno_of(flock(c, LOCK_EX | LOCK_NB));
	errno_of(flock(b, LOCK_SH | LOCK_NB));
	errno_of(flock(c, LOCK_UN));
	errno_of(flock(b, LOCK_SH | LOCK_NB));
	errno_of(flock(a, LOCK_SH));
	errno_of(flock(a, LOCK_EX | LOCK_NB)); /* that releases its shared lock */
	errno_of(flock(b, LOCK_EX | LOCK_NB));
	errno_of(flock(a, LOCK_SH | LOCK_NB));
	errno_of(flock(a, 0));
	errno_of(flock(b, LOCK_UN));
	errno_of(fcntl(a, F_OFD_SETLK, &lock));
	errno_of(fcntl(b, F_OFD_SETLK, &lock));
	lock.l_start = 5;
	errno_of(fcntl(b, F_OFD_SETLKW, &lock));
	lock.l_start = 0;
	lock.l_type = F_UNLCK;
	errno_of(fcntl(a, F_OFD_SETLKW, &lock));
	lock.l_type = F_RDLCK;
	errno_of(fcntl(b, F_OFD_SETLK, &lock));
	lock = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET};
	errno_of(fcntl(b, F_OFD_SETLK, &lock));
	errno_of(lockf(a, F_LOCK, 0));
	errno_of(lockf(a, F_TEST, 0));
	errno_of(lockf(a, 99, 0));
	close(b);
	errno_of(lockf(a, F_TLOCK, 0));
	errno_of(flock(a, LOCK_EX));
	close(a);
	close(c);
}

CASE(queues)
{
	struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8}, got;
	char name[64], text[16];
	unsigned priority;
	mqd_t in, out;

	snprintf(name, sizeof(name), "/sleave-conformance-%d", (int)getpid());
	errno_of(mq_open(name, O_RDONLY));
	errno_of(mq_open(name + 1, O_RDONLY | O_CREAT, 0600, &attr));
	errno_of(mq_open("/", O_RDONLY));
	errno_of(mq_open("/a/b", O_RDONLY));
	errno_of(mq_unlink(name));
	errno_of(mq_unlink("none"));
	in = mq_open(name, O_RDONLY | O_CREAT | O_NONBLOCK, 0600, &attr);
	errno_of(in);
	errno_of(mq_open(name, O_RDONLY | O_CREAT | O_EXCL, 0600, &attr));
	out = mq_open(name, O_WRONLY | O_NONBLOCK);
	errno_of(mq_receive(in, text, sizeof(text), NULL));
	errno_of(mq_receive(in, text, 7, NULL));
	errno_of(mq_receive(out, text, sizeof(text), NULL));
	errno_of(mq_send(in, "x", 1, 0));
	errno_of(mq_send(out, "123456789", 9, 0));
	errno_of(mq_send(out, "x", 1, 32768));
	errno_of(mq_send(out, "low", 3, 1));
	errno_of(mq_send(out, "high", 4, 32767));
	errno_of(mq_send(out, "x", 1, 0));
	errno_of(mq_timedsend(out, "x", 1, 0, &(struct timespec){0, -1}));
	errno_of(mq_getattr(in, &got));
	value((int)got.mq_curmsgs);
	value((int)got.mq_maxmsg);
	value((int)got.mq_msgsize);
	value(got.mq_flags == O_NONBLOCK);
	value((int)mq_receive(in, text, sizeof(text), &priority));
	value((int)priority);
	got.mq_flags = 0;
	errno_of(mq_setattr(in, &got, NULL));
	value((int)mq_receive(in, text, sizeof(text), &priority));
	value((int)priority);
	errno_of(mq_timedreceive(in, text, sizeof(text), NULL, &(struct timespec){1, 0}));
	errno_of(mq_timedreceive(in, text, sizeof(text), NULL, &(struct timespec){1, 1000000000}));
	got.mq_flags = 1;
	errno_of(mq_setattr(in, &got, NULL));
	errno_of(mq_notify(in, &(struct sigevent){.sigev_notify = SIGEV_NONE}));
	errno_of(mq_notify(in, &(struct sigevent){.sigev_notify = SIGEV_NONE}));
	errno_of(mq_notify(in, NULL));
	errno_of(mq_notify(in, &(struct sigevent){.sigev_notify = 77}));
	errno_of(mq_unlink(name));
	errno_of(mq_close(in));
	errno_of(mq_close(in));
	errno_of(mq_close(out));
}

static int pipes[2];

static int
reads(void *unused)
{
	char text[8];

	(void)unused;
	return (int)read(pipes[0], text, sizeof(text));
}

CASE(from_a_thread)
{
	value(pipe(pipes));
	value((int)write(pipes[1], "abc", 3));
	value(other(reads, NULL));
	close(pipes[1]);
	value(other(reads, NULL));
	close(pipes[0]);
}
