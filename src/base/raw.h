/*
 * System calls without libc: no errno, no cancellation, no thread-local storage, so that the engine may use
 * them on any stack and with any thread's registers. They return what the kernel returns (negative errno).
 *
 * In libsleave they go through sl_gate, which is an instruction in libc once other system calls are intercepted
 * (dispatch.c).
 */
#ifndef SL_BASE_RAW_H
#define SL_BASE_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifdef SL_GATE
extern const void *sl_gate __attribute__((visibility("hidden")));
#endif

static inline long
sl_raw6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

#ifdef SL_GATE
#define SL_SYSCALL "call *sl_gate(%%rip)" /* built with -mno-red-zone */
#else
#define SL_SYSCALL "syscall"
#endif
	__asm__ volatile(SL_SYSCALL
			 : "=a"(result)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define SL_RAW_PICK(_1, _2, _3, _4, _5, _6, _7, name, ...) name
#define sl_raw(...)                                                                                               \
	SL_RAW_PICK(__VA_ARGS__, SL_RAW6, SL_RAW5, SL_RAW4, SL_RAW3, SL_RAW2, SL_RAW1, SL_RAW0)(__VA_ARGS__)
#define SL_RAW0(n) sl_raw6(n, 0, 0, 0, 0, 0, 0)
#define SL_RAW1(n, a) sl_raw6(n, (long)(a), 0, 0, 0, 0, 0)
#define SL_RAW2(n, a, b) sl_raw6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SL_RAW3(n, a, b, c) sl_raw6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SL_RAW4(n, a, b, c, d) sl_raw6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SL_RAW5(n, a, b, c, d, e) sl_raw6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SL_RAW6(n, a, b, c, d, e, f) sl_raw6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
