#include "hash.h"

/* FNV-1a, and a last mix so that the low bits depend on all others: they choose the shard. */
uint32_t
hash_bytes(uint32_t seed, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;
	uint32_t hash = 2166136261u ^ seed;

	while (length--)
		hash = (hash ^ *byte++) * 16777619u;
	hash ^= hash >> 16;
	hash *= 0x7feb352du;
	hash ^= hash >> 15;
	return hash;
}
