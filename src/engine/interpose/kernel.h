/*
 * System calls: those that the program makes by syscall(), and those that do not come through libc.
 */
#ifndef SL_ENGINE_INTERPOSE_KERNEL_H
#define SL_ENGINE_INTERPOSE_KERNEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* syscall.c, futex.c: a negative result is an error, as from the kernel */
long sl_syscall(long number, const long arguments[6], uint64_t pc);
long sl_futex(const long arguments[6], uint64_t pc);
void sl_futex_abandon(
	void); /* the running thread ends: its futexes with priority inheritance go to waiting threads */
/* dispatch.c: system calls that do not come through libc */
bool sl_dispatch_on(void);
void sl_dispatch_off(void);
bool sl_dispatched(const siginfo_t *info, void *context);
/*
 * child_waits.c: returns whether the process and all its descendants are in system calls that only another process
 * can end. A task that was just woken may still seem to be in one: if the marks of two checks are equal, no task
 * ran in between.
 */
bool sl_process_waits(pid_t process, uint64_t *mark);
extern bool sl_one_sleeps;               /* a checked process was in a call that ends after some time */
bool sl_process_is_below(pid_t process); /* whether it is a descendant of this process */
/* Visits the processes that descend from this one, also those whose parent is gone, until `visit` returns false.
 * Returns false if it did, or if they can't be listed. */
bool sl_own_processes(bool (*visit)(pid_t process, uint64_t *mark), uint64_t *mark);
/* world.c: mappings of the program that other processes may share */
void sl_world_shared(void (*visit)(uintptr_t low, uintptr_t high));

#endif
