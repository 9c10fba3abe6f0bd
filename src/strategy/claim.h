/*
 * Claims: how several workers share one tree without communicating. A claim is a key in a set that all workers
 * map; the worker that inserts a key first owns the subtree that the key names. Used by strategy/path.c.
 *
 * Keys are never removed, so a key that was found (or not found in a full stretch) stays so. A slot holds its
 * owner too: a worker that starts over asks for keys that it already owns, and must get them again.
 */
#ifndef SL_STRATEGY_CLAIM_H
#define SL_STRATEGY_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#define SL_CLAIM_SLOTS (1u << 20)
#define SL_CLAIM_PROBES 64u
#define SL_CLAIM_WORKERS 64u /* the owner takes the low six bits of a slot */

/* What a slot holds for a key, owner left out; never 0, which is an empty slot. */
static inline uint64_t
sl_claim_name(uint64_t key)
{
	return (key | SL_CLAIM_WORKERS) & ~(uint64_t)(SL_CLAIM_WORKERS - 1);
}

static inline uint64_t *
sl_claim_slot(uint64_t *slots, uint64_t key, unsigned probe)
{
	return &slots[((key >> 32) + probe) & (SL_CLAIM_SLOTS - 1)];
}

/*
 * True if this worker owns the key now. If the set is full, every worker owns the key: doing the work twice costs
 * time, not doing it at all would make the result wrong.
 */
static inline bool
sl_claim_take(uint64_t *slots, uint64_t key, unsigned worker)
{
	uint64_t name = sl_claim_name(key);

	for (unsigned i = 0; i < SL_CLAIM_PROBES; i++) {
		uint64_t *slot = sl_claim_slot(slots, key, i);
		uint64_t seen = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!seen && __atomic_compare_exchange_n(slot, &seen, name | worker, false, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED))
			return true;
		if (sl_claim_name(seen) == name)
			return seen == (name | worker);
	}
	return true;
}

/* Does any worker own the key? */
static inline bool
sl_claim_find(uint64_t *slots, uint64_t key)
{
	uint64_t name = sl_claim_name(key);

	for (unsigned i = 0; i < SL_CLAIM_PROBES; i++) {
		uint64_t seen = __atomic_load_n(sl_claim_slot(slots, key, i), __ATOMIC_RELAXED);

		if (!seen)
			return false;
		if (sl_claim_name(seen) == name)
			return true;
	}
	return false;
}

#endif
