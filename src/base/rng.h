/*
 * The one source of randomness: splitmix64. Small state, any seed is good, the same numbers everywhere.
 */
#ifndef SL_BASE_RNG_H
#define SL_BASE_RNG_H

#include <stdint.h>

struct sl_rng {
	uint64_t state;
};

static inline uint64_t
sl_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t
sl_rng_next(struct sl_rng *r)
{
	return sl_mix(r->state += 0x9e3779b97f4a7c15u);
}

/* Uniform in 0 … n-1 (n > 0); the bias of the multiply-shift is below 2^-32 for n < 2^32. */
static inline uint32_t
sl_rng_below(struct sl_rng *r, uint32_t n)
{
	return (uint32_t)(((sl_rng_next(r) >> 32) * n) >> 32);
}

/* An independent stream for the n-th use of one seed. */
static inline struct sl_rng
sl_rng_derive(uint64_t seed, uint64_t n)
{
	return (struct sl_rng){sl_mix(seed + 0x632be59bd9b4e019u) + sl_mix(n * 0x9e3779b97f4a7c15u + 1)};
}

#endif
