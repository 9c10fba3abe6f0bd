/*
 * Randomness: a stream of numbers for each thread, the same in every execution. Random numbers of the kernel and
 * the processor would differ each time, and a schedule could not be repeated.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define SEED 0x736c65617665ull

static uint64_t
number(void)
{
	struct sl_thread *t = E.current;

	return sl_mix(SEED + ((uint64_t)t->id << 40) + t->made.randoms++);
}

void
sl_random_fill(void *to, size_t size)
{
	unsigned char *p = to;

	for (size_t i = 0; i < size;) {
		uint64_t n = number();

		for (int k = 0; k < 8 && i < size; k++, n >>= 8)
			p[i++] = (unsigned char)n;
	}
}

/* The kernel checks the arguments and decides how much can be written; the numbers are the engine's. */
long
sl_random_read(int fd, long call, const struct iovec *parts, int count, off_t position, uint64_t pc)
{
	long result = sl_raw(call, fd, parts, count, position, 0), left = result;

	for (int i = 0; i < count && left > 0; i++) {
		size_t n = parts[i].iov_len < (size_t)left ? parts[i].iov_len : (size_t)left;

		sl_random_fill(parts[i].iov_base, n);
		sl_access_range(parts[i].iov_base, n, SL_OP_WRITES, pc);
		left -= (long)n;
	}
	return result;
}

SL_DEFINE(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags))
{
	long result = sl_raw(SYS_getrandom, to, size, flags | GRND_NONBLOCK);

	if (result == -EAGAIN)
		result = (long)size; /* the kernel has no random numbers yet, but the engine has */
	if (result > 0) {
		sl_random_fill(to, (size_t)result);
		sl_access_range(to, (size_t)result, SL_OP_WRITES, pc);
	}
	return sl_io_return(result);
}

SL_DEFINE(int, getentropy, (void *to, size_t size), (to, size))
{
	if (size > 256) {
		errno = EIO;
		return -1;
	}
	sl_random_fill(to, size);
	sl_access_range(to, size, SL_OP_WRITES, pc);
	return 0;
}

SL_EXPORT uint32_t
arc4random(void)
{
	return E.control ? (uint32_t)number() : SL_CALL(arc4random)();
}

SL_EXPORT void
arc4random_buf(void *to, size_t size)
{
	SL_RT_CALL();
	if (!E.control) {
		SL_CALL(arc4random_buf)(to, size);
		return;
	}
	sl_random_fill(to, size);
	sl_access_range(to, size, SL_OP_WRITES, SL_PC);
}

SL_EXPORT uint32_t
arc4random_uniform(uint32_t below)
{
	if (!E.control)
		return SL_CALL(arc4random_uniform)(below);
	return below ? (uint32_t)(number() % below) : 0;
}

/* std::random_device: libstdc++ asks the processor, which can't be intercepted. */
SL_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device);
SL_EXPORT unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void *device);

unsigned
_ZNSt13random_device9_M_getvalEv(void *device)
{
	return E.control ? (unsigned)number() : SL_CALL(_ZNSt13random_device9_M_getvalEv)(device);
}

unsigned
_ZNSt13random_device16_M_getval_pretr1Ev(void *device)
{
	return E.control ? (unsigned)number() : SL_CALL(_ZNSt13random_device16_M_getval_pretr1Ev)(device);
}
