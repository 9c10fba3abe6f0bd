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

/*
 * Exponential with mean 1, in units of 2^-48; in practice below 2^55. In integers, because the numbers must be the same
 * everywhere, also if the program under test changes the mode of its floating-point unit.
 *
 * The quotient by ln 2 is geometric, and the remainder is independent of it: -ln(1 - u/2) for a uniform u,
 * which is 2 artanh(z) for z = u/(4 - u) < 1/3. The series is cut where the error is 2^-30.
 */
static inline uint64_t
sl_rng_exponential(struct sl_rng *r)
{
	const uint64_t ln2 = 195103586505167, one = 1ull << 32;
	uint64_t bits = sl_rng_next(r), u = bits >> 32, whole = 0;

	for (bits &= one - 1; !bits; bits = sl_rng_next(r) >> 32)
		whole += 32;
	whole += (unsigned)__builtin_ctzll(bits);

	uint64_t z = (u << 32) / (4 * one - u), square = z * z >> 32, sum = one / 15;

	sum = one / 13 + (sum * square >> 32);
	sum = one / 11 + (sum * square >> 32);
	sum = one / 9 + (sum * square >> 32);
	sum = one / 7 + (sum * square >> 32);
	sum = one / 5 + (sum * square >> 32);
	sum = one / 3 + (sum * square >> 32);
	sum = one + (sum * square >> 32);
	return whole * ln2 + (z * sum >> 15);
}

/* An independent stream for the n-th use of one seed. */
static inline struct sl_rng
sl_rng_derive(uint64_t seed, uint64_t n)
{
	return (struct sl_rng){sl_mix(seed + 0x632be59bd9b4e019u) + sl_mix(n * 0x9e3779b97f4a7c15u + 1)};
}

#endif
