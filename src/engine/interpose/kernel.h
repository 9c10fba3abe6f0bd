/*
 * System calls: those that the program makes by syscall(), and those that do not come through libc.
 */
#ifndef SL_ENGINE_INTERPOSE_KERNEL_H
#define SL_ENGINE_INTERPOSE_KERNEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* syscall.c, futex.c: as the kernel, a negative error */
long sl_syscall(long number, const long arguments[6], uint64_t pc);
long sl_futex(const long arguments[6], uint64_t pc);
void sl_futex_abandon(void); /* the running thread ends: what it owns with priority inheritance goes to threads that wait for it */
/* dispatch.c: system calls that do not come through libc */
bool sl_dispatch_on(void);
void sl_dispatch_off(void);
bool sl_dispatched(const siginfo_t *info, void *context);
/*
 * child_waits.c: it and all that it has started are in system calls that only another process can end. A task that has been woken
 * may still seem to be in one: if the same tasks are twice, and the marks come out the same, they were between the two looks.
 */
bool sl_process_waits(pid_t process, uint64_t *mark);
extern bool sl_one_sleeps; /* one that was looked at was in a call that ends by itself, at some time */
bool sl_process_is_below(pid_t process); /* started by this one, or by one that is below it */
/* Visits the processes that descend from this one, also those whose parent is gone, until `visit` says no. False: it did, or they
 * can't be listed. */
bool sl_own_processes(bool (*visit)(pid_t process, uint64_t *mark), uint64_t *mark);
/* world.c: mappings of the program's that other processes may have, too */
void sl_world_shared(void (*visit)(uintptr_t low, uintptr_t high));

#endif
