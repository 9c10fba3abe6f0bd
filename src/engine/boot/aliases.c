/*
 * Second names that libc has for functions that the engine defines. Each jumps to the function of the first name,
 * so that the place of the call stays the caller's.
 */
#define ALIAS(other, name)                                                                                        \
	__asm__(".pushsection .text\n.globl " #other "\n.type " #other ", @function\n" #other ": jmp " #name      \
		"@PLT\n.size " #other ", .-" #other "\n.popsection\n");

/* clang-format off */
ALIAS(__read, read) ALIAS(__write, write) ALIAS(__close, close) ALIAS(__open, open) ALIAS(__open64, open64)
ALIAS(__open_2, open) ALIAS(__open64_2, open64) ALIAS(__openat_2, openat) ALIAS(__openat64_2, openat64)
ALIAS(__fcntl, fcntl) ALIAS(__pipe, pipe) ALIAS(__dup2, dup2) ALIAS(__poll, poll) ALIAS(__select, select)
ALIAS(__connect, connect) ALIAS(__send, send) ALIAS(__sendmmsg, sendmmsg) ALIAS(__pread64, pread64)
ALIAS(__pwrite64, pwrite64) ALIAS(__poll_chk, poll) ALIAS(__ppoll_chk, ppoll) ALIAS(__pread_chk, pread)
ALIAS(__pread64_chk, pread64) ALIAS(__lseek, lseek)
ALIAS(__fork, fork) ALIAS(__vfork, vfork) ALIAS(__wait, wait) ALIAS(__waitpid, waitpid)
ALIAS(__sched_yield, sched_yield) ALIAS(__nanosleep, nanosleep) ALIAS(__clock_gettime, clock_gettime)
ALIAS(__gettimeofday, gettimeofday) ALIAS(__sigaction, sigaction) ALIAS(__sigsuspend, sigsuspend)
ALIAS(aio_read64, aio_read) ALIAS(aio_write64, aio_write) ALIAS(aio_fsync64, aio_fsync) ALIAS(aio_error64, aio_error)
ALIAS(aio_return64, aio_return) ALIAS(aio_suspend64, aio_suspend) ALIAS(aio_cancel64, aio_cancel)
ALIAS(lio_listio64, lio_listio)
ALIAS(gsignal, raise) ALIAS(ssignal, signal)
	/* clang-format on */
