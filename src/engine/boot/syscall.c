/*
 * System calls that the program makes itself: the engine models those that other threads could observe; the others
 * are passed through and listed as `escaped`.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/kernel.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/users.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"
#include "engine/under/syscall_names.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* Calls that can't be passed through: they would create threads, block, or end the process without the engine.
 * (rt_sigreturn: the frame of a handler that was set without libc is unknown.) */
/* clang-format off */
#define REFUSED(X) \
	X(clone) X(clone3) X(fork) X(vfork) X(exit) X(execve) X(execveat) X(wait4) X(waitid) \
	X(rt_sigaction) X(rt_sigprocmask) X(rt_sigpending) X(rt_sigqueueinfo) X(rt_tgsigqueueinfo) \
	X(sigaltstack) X(alarm) X(setitimer) X(timer_create) X(rt_sigtimedwait) X(rt_sigsuspend) X(pause) \
	X(futex_waitv) X(rt_sigreturn) X(io_uring_setup) X(io_setup) X(mq_open) X(mq_timedsend) \
	X(mq_timedreceive) X(mq_notify) X(semop) X(semtimedop) X(msgsnd) X(msgrcv) X(recvmmsg) X(sendmmsg) \
	X(clock_settime) X(settimeofday) X(adjtimex) X(clock_adjtime) X(pidfd_send_signal) X(epoll_wait) \
	X(epoll_pwait) X(epoll_pwait2) X(accept) X(accept4) X(connect) X(recvfrom) X(recvmsg) X(sendto) \
	X(sendmsg) X(ppoll) X(select) X(pselect6) X(set_robust_list) X(pidfd_open) X(kcmp) \
	X(ioprio_get) X(ioprio_set) X(migrate_pages) X(move_pages) X(ptrace) X(perf_event_open)
/* clang-format on */

static const char *
refused(long number)
{
	switch (number) {
#define X(name)                                                                                                   \
	case SYS_##name:                                                                                          \
		return "raw system call " #name;
		REFUSED(X)
#undef X
	default:
		return NULL;
	}
}

static long
negative(long result)
{
	return result < 0 ? -errno : result;
}

static void
escaped(long number, uint64_t pc)
{
	char name[sizeof(((struct sl_escape *)NULL)->name)];
	size_t used = 0;

	sl_text_add(name, sizeof(name), &used, "raw system call ");
	if (number >= 0 && (size_t)number < sizeof(sl_syscall_names) / sizeof(sl_syscall_names[0]) &&
	    sl_syscall_names[number])
		sl_text_add(name, sizeof(name), &used, sl_syscall_names[number]);
	else
		sl_text_add_number(name, sizeof(name), &used, (unsigned long)number);
	sl_escaped(name, pc);
}

/* Under control. Returns what the kernel would return: a negative number is an error. */
long
sl_syscall(long number, const long a[6], uint64_t pc)
{
	const char *name = refused(number);
	int saved, failed;
	long result;

	if (name)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, name);
	if (sl_users_call(number, a, &result))
		return result;
	switch (number) {
	case SYS_futex:
		return sl_futex(a, pc);
	case SYS_kill:
		return kill((pid_t)a[0], (int)a[1]) ? -errno : 0;
	case SYS_tkill:
		return tgkill(getpid(), (pid_t)a[0], (int)a[1]) ? -errno : 0;
	case SYS_tgkill:
		return tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]) ? -errno : 0;
	case SYS_exit_group:
		sl_exit_now((int)a[0], pc);
	case SYS_sched_yield:
		return sched_yield();
	case SYS_getrandom:
		return negative(getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]));
	case SYS_read:
		return negative(sl_read((int)a[0], (void *)a[1], (size_t)a[2], pc));
	case SYS_write:
		return negative(sl_write((int)a[0], (const void *)a[1], (size_t)a[2], pc));
	case SYS_close:
		return negative(sl_close((int)a[0], pc));
	case SYS_readv:
		return sl_read_parts((int)a[0], (const struct iovec *)a[1], (int)a[2], "readv", pc);
	case SYS_writev:
		return sl_write_parts((int)a[0], (const struct iovec *)a[1], (int)a[2], "writev", pc);
	case SYS_prctl:
		return negative(prctl((int)a[0], a[1], a[2], a[3], a[4]));
	case SYS_pread64:
		return negative(pread((int)a[0], (void *)a[1], (size_t)a[2], a[3]));
	case SYS_pwrite64:
		return negative(pwrite((int)a[0], (const void *)a[1], (size_t)a[2], a[3]));
	case SYS_preadv:
		return negative(preadv((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]));
	case SYS_pwritev:
		return negative(pwritev((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]));
	case SYS_preadv2:
		return negative(preadv2((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3], (int)a[5]));
	case SYS_pwritev2:
		return negative(pwritev2((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3], (int)a[5]));
	case SYS_lseek:
		return negative(lseek((int)a[0], a[1], (int)a[2]));
	case SYS_fcntl:
		return negative(sl_fcntl((int)a[0], (int)a[1], a[2], pc));
	case SYS_open:
		return negative(sl_open((const char *)a[0], (int)a[1], (unsigned)a[2], pc));
	case SYS_openat:
		return negative(openat((int)a[0], (const char *)a[1], (int)a[2], (unsigned)a[3]));
	case SYS_dup:
		return negative(dup((int)a[0]));
	case SYS_dup2:
		return negative(dup2((int)a[0], (int)a[1]));
	case SYS_dup3:
		return negative(dup3((int)a[0], (int)a[1], (int)a[2]));
	case SYS_flock:
		return negative(flock((int)a[0], (int)a[1]));
	case SYS_splice:
		return negative(splice((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3], (size_t)a[4],
				       (unsigned)a[5]));
	case SYS_tee:
		return negative(tee((int)a[0], (int)a[1], (size_t)a[2], (unsigned)a[3]));
	case SYS_vmsplice:
		return negative(vmsplice((int)a[0], (const struct iovec *)a[1], (size_t)a[2], (unsigned)a[3]));
	case SYS_sendfile:
		return negative(sendfile((int)a[0], (int)a[1], (off_t *)a[2], (size_t)a[3]));
	case SYS_ioctl:
		return negative(ioctl((int)a[0], (unsigned long)a[1], a[2]));
	case SYS_pipe2:
		return negative(pipe2((int *)a[0], (int)a[1]));
	case SYS_eventfd2:
		return negative(eventfd((unsigned)a[0], (int)a[1]));
	case SYS_signalfd:
	case SYS_signalfd4:
		return negative(a[2] == 8 ? signalfd((int)a[0], (const sigset_t *)a[1],
						     number == SYS_signalfd4 ? (int)a[3] : 0)
					  : sl_io_return(-EINVAL));
	case SYS_poll:
		return negative(poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]));
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		saved = errno;
		if (number == SYS_nanosleep)
			failed = clock_nanosleep(CLOCK_MONOTONIC, 0, (const struct timespec *)a[0], NULL);
		else
			failed = clock_nanosleep((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2], NULL);
		errno = saved;
		return -failed;
	case SYS_clock_gettime:
		return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]) ? -errno : 0;
	case SYS_clock_getres:
		return clock_getres((clockid_t)a[0], (struct timespec *)a[1]) ? -errno : 0;
	case SYS_gettimeofday:
		return gettimeofday((struct timeval *)a[0], NULL) ? -errno : 0;
	case SYS_time:
		return time((time_t *)a[0]);
	default:
		result = sl_process_call(number, a, pc);
		if (result != SL_NO_PROCESS_CALL)
			return result;
		escaped(number, pc);
		return sl_raw6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

long sl_in_syscall(long number, ...);

long
sl_in_syscall(long number, ...)
{
	long a[6], result;
	va_list list;

	SL_RT_CALL();
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (E.control)
		result = sl_syscall(number, a, SL_PC);
	else if (number == SYS_getpid || number == SYS_gettid || number == SYS_getppid)
		result = sl_process_call(
			number, a,
			SL_PC); /* in a child process, or before main(): handled like the function of libc */
	else if (number == SYS_futex && unlikely(sl_rt_installed()))
		result = sl_rt_futex(a);
	else
		result = sl_raw6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
SL_ENTRY(syscall);
