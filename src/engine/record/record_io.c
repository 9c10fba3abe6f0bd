/*
 * Recording on real threads: communication outside of memory, through pipes and similar channels or by signals. It
 * is not an item (docs/limits.md), but items before it in one thread precede items after it in another.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/instead.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

/* The sending thread takes a ticket before the call, the receiving thread after it. */
#define MARKED(type, name, parameters, arguments)                                                                 \
	static type marked_##name parameters                                                                      \
	{                                                                                                         \
		sl_lane_mark();                                                                                   \
		type answer = sl_unrecorded.name arguments;                                                       \
                                                                                                                  \
		sl_lane_mark();                                                                                   \
		return answer;                                                                                    \
	}

MARKED(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
MARKED(ssize_t, readv, (int fd, const struct iovec *to, int count), (fd, to, count))
MARKED(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
MARKED(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count))
MARKED(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
MARKED(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *who, socklen_t *length),
       (fd, to, size, flags, who, length))
MARKED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
MARKED(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
MARKED(ssize_t, sendto,
       (int fd, const void *from, size_t size, int flags, const struct sockaddr *who, socklen_t length),
       (fd, from, size, flags, who, length))
MARKED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
MARKED(int, accept, (int fd, struct sockaddr *who, socklen_t *length), (fd, who, length))
MARKED(int, accept4, (int fd, struct sockaddr *who, socklen_t *length, int flags), (fd, who, length, flags))
MARKED(int, connect, (int fd, const struct sockaddr *who, socklen_t length), (fd, who, length))
MARKED(int, close, (int fd), (fd))
MARKED(int, shutdown, (int fd, int how), (fd, how))
MARKED(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
MARKED(int, ppoll, (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
       (fds, count, timeout, mask))
MARKED(int, select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout),
       (count, in, out, other, timeout))
MARKED(int, pselect,
       (int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask),
       (count, in, out, other, timeout, mask))
MARKED(int, epoll_wait, (int fd, struct epoll_event *events, int room, int timeout), (fd, events, room, timeout))
MARKED(int, epoll_pwait, (int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask),
       (fd, events, room, timeout, mask))
MARKED(int, pthread_kill, (pthread_t thread, int number), (thread, number))
MARKED(int, pthread_sigqueue, (pthread_t thread, int number, const union sigval value), (thread, number, value))
MARKED(int, raise, (int number), (number))
MARKED(int, kill, (pid_t process, int number), (process, number))
MARKED(int, sigqueue, (pid_t process, int number, const union sigval value), (process, number, value))
MARKED(int, tgkill, (pid_t process, pid_t thread, int number), (process, thread, number))
MARKED(unsigned, alarm, (unsigned seconds), (seconds))
MARKED(useconds_t, ualarm, (useconds_t first, useconds_t then), (first, then))
MARKED(int, setitimer, (int which, const struct itimerval *new, struct itimerval *old), (which, new, old))
MARKED(int, timer_settime, (timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *old),
       (timer, flags, new, old))
MARKED(int, sigwait, (const sigset_t *set, int *number), (set, number))
MARKED(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
MARKED(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *timeout),
       (set, info, timeout))

void
sl_lane_io_install(struct sl_real *table)
{
#define INSTALL(name) table->name = marked_##name;
	SL_INSTEAD_OF_IO(INSTALL)
	INSTALL(pthread_kill)
	INSTALL(pthread_sigqueue)
	INSTALL(raise)
	INSTALL(kill)
	INSTALL(sigqueue)
	INSTALL(tgkill)
	INSTALL(alarm)
	INSTALL(ualarm)
	INSTALL(setitimer)
	INSTALL(timer_settime)
	INSTALL(sigwait)
	INSTALL(sigwaitinfo)
	INSTALL(sigtimedwait)
}
