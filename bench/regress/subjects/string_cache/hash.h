/*
 * A hash of bytes, with a seed against texts that were made to collide.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

uint32_t hash_bytes(uint32_t seed, const void *bytes, size_t length);

#endif
