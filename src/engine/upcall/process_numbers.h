/*
 * Numbers of processes and threads, above the highest that the kernel can give (engine/model/process/process.c).
 */
#ifndef SL_ENGINE_UPCALL_PROCESS_NUMBERS_H
#define SL_ENGINE_UPCALL_PROCESS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sl_thread;

#define SL_FIRST_TID 5000000u       /* the process, and its first thread */
#define SL_FIRST_CHILD 6000000      /* the first process that the program starts */
#define SL_FIRST_DESCENDANT 7000000 /* the first descendant of these that sends a signal */
#define SL_PARENT 4900000           /* `sleave`, which has started the program */
#define SL_PROC_ROOM 256            /* bytes for a path in /proc */
#define SL_NO_PROCESS_CALL 4096     /* not among the results of system calls */
void sl_process_boot(void);
void sl_process_called(void);          /* `sleave` has started this process */
void sl_process_explores(bool begins); /* begins or ends exploring */
void sl_process_forked(pid_t number);  /* in a child process; 0: it keeps the kernel's number */
pid_t sl_process_number(void);         /* the result of getpid() */
pid_t sl_process_of(pid_t number);     /* the kernel's number for one of these; other numbers are unchanged */
pid_t sl_process_name(pid_t known);    /* the number here for one of the kernel's */
uint32_t sl_thread_number(const struct sl_thread *thread); /* the result of gettid() */
struct sl_thread *sl_thread_numbered(pid_t number);        /* NULL: there is none */
void sl_proc_refuse(const char *path,
		    uint64_t pc); /* refuses a folder of the kernel's threads (proc.c); under control */
int sl_proc_open(const char *path, int flags,
		 uint64_t pc); /* opens a copy that shows the program's threads, or returns -1; under control */
const char *sl_proc_path(const char *path, char *room); /* the path with the kernel's number */
long sl_process_call(long number, const long arguments[6],
		     uint64_t pc); /* a raw system call; SL_NO_PROCESS_CALL: it does not concern processes */

#endif
