#include "buffer.h"

#include <stdlib.h>
#include <string.h>

struct buffer *
buffer_new(size_t capacity)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer)
		abort();
	buffer->capacity = capacity ? capacity : 16;
	buffer->bytes = malloc(buffer->capacity);
	if (!buffer->bytes)
		abort();
	return buffer;
}

struct buffer *
buffer_copy(const void *bytes, size_t length)
{
	struct buffer *buffer = buffer_new(length);

	buffer_put(buffer, bytes, length);
	return buffer;
}

void
buffer_free(struct buffer *buffer)
{
	if (!buffer)
		return;
	free(buffer->bytes);
	free(buffer);
}

size_t
buffer_remaining(const struct buffer *buffer)
{
	return buffer->length - buffer->position;
}

int
buffer_has_remaining(const struct buffer *buffer)
{
	return buffer->position < buffer->length;
}

const unsigned char *
buffer_next(const struct buffer *buffer)
{
	return buffer->bytes + buffer->position;
}

void
buffer_skip(struct buffer *buffer, size_t count)
{
	size_t remaining = buffer_remaining(buffer);

	buffer->position += count < remaining ? count : remaining;
}

void
buffer_rewind(struct buffer *buffer)
{
	buffer->position = 0;
}

void
buffer_compact(struct buffer *buffer)
{
	size_t remaining = buffer_remaining(buffer);

	memmove(buffer->bytes, buffer_next(buffer), remaining);
	buffer->length = remaining;
	buffer->position = 0;
}

void
buffer_clear(struct buffer *buffer)
{
	buffer->length = buffer->position = 0;
}

static void
reserve(struct buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity;
	unsigned char *bytes;

	while (capacity - buffer->length < more)
		capacity *= 2;
	if (capacity == buffer->capacity)
		return;
	bytes = realloc(buffer->bytes, capacity);
	if (!bytes)
		abort();
	buffer->bytes = bytes;
	buffer->capacity = capacity;
}

void
buffer_put(struct buffer *buffer, const void *bytes, size_t length)
{
	if (!length)
		return;
	reserve(buffer, length);
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
}

void
buffer_put_u8(struct buffer *buffer, uint8_t value)
{
	buffer_put(buffer, &value, 1);
}

void
buffer_put_u16(struct buffer *buffer, uint16_t value)
{
	unsigned char bytes[2] = {(unsigned char)(value >> 8), (unsigned char)value};

	buffer_put(buffer, bytes, sizeof(bytes));
}

void
buffer_put_u32(struct buffer *buffer, uint32_t value)
{
	buffer_put_u16(buffer, (uint16_t)(value >> 16));
	buffer_put_u16(buffer, (uint16_t)value);
}

void
buffer_put_varint(struct buffer *buffer, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		buffer_put_u8(buffer, (uint8_t)(value | 0x80));
	buffer_put_u8(buffer, (uint8_t)value);
}

int
buffer_get(struct buffer *buffer, void *bytes, size_t length)
{
	if (buffer_remaining(buffer) < length)
		return 0;
	memcpy(bytes, buffer_next(buffer), length);
	buffer->position += length;
	return 1;
}

int
buffer_get_u8(struct buffer *buffer, uint8_t *value)
{
	return buffer_get(buffer, value, 1);
}

int
buffer_get_u16(struct buffer *buffer, uint16_t *value)
{
	unsigned char bytes[2];

	if (!buffer_get(buffer, bytes, sizeof(bytes)))
		return 0;
	*value = (uint16_t)(bytes[0] << 8 | bytes[1]);
	return 1;
}

int
buffer_get_u32(struct buffer *buffer, uint32_t *value)
{
	uint16_t high, low;

	if (buffer_remaining(buffer) < 4 || !buffer_get_u16(buffer, &high) || !buffer_get_u16(buffer, &low))
		return 0;
	*value = (uint32_t)high << 16 | low;
	return 1;
}

int
buffer_get_varint(struct buffer *buffer, uint32_t *value)
{
	size_t start = buffer->position;
	uint32_t result = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 32 && buffer_get_u8(buffer, &byte); shift += 7) {
		result |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = result;
			return 1;
		}
	}
	buffer->position = start;
	return 0;
}

long
buffer_find(const struct buffer *buffer, unsigned char byte)
{
	const unsigned char *next = buffer_next(buffer);
	const unsigned char *found = memchr(next, byte, buffer_remaining(buffer));

	return found ? found - next : -1;
}

/* Fletcher's sum, in sixteen bits. */
uint16_t
buffer_checksum(const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;
	unsigned low = 1, high = 0;

	while (length--) {
		low = (low + *byte++) % 255;
		high = (high + low) % 255;
	}
	return (uint16_t)(high << 8 | low);
}
