/*
 * The functions of libc and of other libraries that the engine replaces; boot.c resolves them once.
 */
#ifndef SL_ENGINE_INTERPOSE_REAL_H
#define SL_ENGINE_INTERPOSE_REAL_H

#include <dirent.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>
#include <wordexp.h>

struct stat;
struct stat64;
struct timeb;
struct addrinfo;
struct aiocb;
struct hostent;

struct sl_real {
#define SL_REAL(type, name, args) type(*name) args;
#include "engine/interpose/real.inc"
#undef SL_REAL
};
extern struct sl_real sl_real;
uint64_t sl_main_place(void); /* the place of main's first line; 0: unknown */

#endif
