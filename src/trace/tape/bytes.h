/*
 * A buffer that grows, and numbers in as few bytes as they need: for the writers and readers of tapes. A reader that
 * comes to the end of its bytes gives zeroes and remembers it.
 */
#ifndef SL_TRACE_TAPE_BYTES_H
#define SL_TRACE_TAPE_BYTES_H

#include "base/room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sl_bytes {
	uint8_t *at;
	size_t count, capacity;
};

/* Returns where `more` bytes can be written. */
static inline uint8_t *
sl_bytes_reserve(struct sl_bytes *bytes, size_t more)
{
	if (bytes->capacity - bytes->count < more) {
		bytes->capacity = (bytes->count + more) * 2;
		bytes->at = sl_must(realloc(bytes->at, bytes->capacity));
	}
	return bytes->at + bytes->count;
}

static inline void
sl_bytes_add(struct sl_bytes *bytes, const void *from, size_t size)
{
	if (size)
		memcpy(sl_bytes_reserve(bytes, size), from, size);
	bytes->count += size;
}

static inline void
sl_bytes_byte(struct sl_bytes *bytes, uint8_t byte)
{
	*sl_bytes_reserve(bytes, 1) = byte;
	bytes->count++;
}

static inline void
sl_bytes_number(struct sl_bytes *bytes, uint64_t number)
{
	uint8_t *to = sl_bytes_reserve(bytes, 10);

	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t)(number | 128);
	*to++ = (uint8_t)number;
	bytes->count = (size_t)(to - bytes->at);
}

/* Maps the difference of two numbers to a number that is small if the difference is, with either sign. */
static inline uint64_t
sl_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t
sl_unzigzag(uint64_t number)
{
	return number >> 1 ^ -(number & 1);
}

/* Appends the length and the bytes. */
static inline void
sl_bytes_text(struct sl_bytes *bytes, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	sl_bytes_number(bytes, size);
	sl_bytes_add(bytes, text, size);
}

struct sl_cursor {
	const uint8_t *at, *end;
	bool short_; /* the reader asked for more bytes than there are */
};

static inline uint8_t
sl_cursor_byte(struct sl_cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->short_ = true;
		return 0;
	}
	return *cursor->at++;
}

static inline uint64_t
sl_cursor_number(struct sl_cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = sl_cursor_byte(cursor);

		number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return number;
	}
	cursor->short_ = true; /* no number is that long */
	return 0;
}

/* Returns a copy, which the caller frees; never NULL. */
static inline char *
sl_cursor_text(struct sl_cursor *cursor)
{
	uint64_t size = sl_cursor_number(cursor);
	char *text;

	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->short_ = true;
		size = 0;
	}
	text = malloc(size + 1);
	if (!text)
		abort();
	if (size)
		memcpy(text, cursor->at, size);
	text[size] = '\0';
	cursor->at += size;
	return text;
}

#endif
