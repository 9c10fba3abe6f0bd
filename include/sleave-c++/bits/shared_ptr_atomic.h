/*
 * Found by `sleave c++` in the place of libstdc++'s header of this name, which it includes.
 *
 * std::atomic<std::shared_ptr> has a lock bit, and up to libstdc++ 12 a reader gives it back with relaxed order: by the
 * letter its read of the pointer then races with the next write, in every program that uses it. Later versions tell
 * ThreadSanitizer otherwise; here the order is the stronger one, which is the same instruction on this processor.
 */
#ifndef SLEAVE_SHARED_PTR_ATOMIC_H
#define SLEAVE_SHARED_PTR_ATOMIC_H
#pragma GCC system_header

#include <bits/c++config.h>
#if __cplusplus > 201703L && _GLIBCXX_RELEASE < 13
#include <bits/atomic_base.h>
#include <bits/shared_ptr.h>
#define fetch_sub(value, order) fetch_sub(value, std::memory_order_acq_rel)
#include_next <bits/shared_ptr_atomic.h>
#undef fetch_sub
#else
#include_next <bits/shared_ptr_atomic.h>
#endif

#endif
