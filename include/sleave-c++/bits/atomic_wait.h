/*
 * Found by `sleave c++` in the place of libstdc++'s header of this name, which it includes.
 *
 * libstdc++ looks sixteen times before it goes to sleep in a wait of C++20 (atomics, semaphores, latches,
 * barriers). The number of looks does not matter, but each of them would be a point of choice, and the search
 * would grow beyond all bounds. The loop's pauses are therefore announced: the engine takes a look that only
 * repeats the one before as part of that one.
 */
#ifndef SLEAVE_ATOMIC_WAIT_H
#define SLEAVE_ATOMIC_WAIT_H
#pragma GCC system_header

#if __cplusplus > 201703L && defined(__x86_64__)
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
extern "C" void sleave_relax(void) noexcept;
#define __builtin_ia32_pause() sleave_relax()
#define __gthread_yield() sleave_relax()
#include_next <bits/atomic_wait.h>
#undef __builtin_ia32_pause
#undef __gthread_yield
#else
#include_next <bits/atomic_wait.h>
#endif

#endif
