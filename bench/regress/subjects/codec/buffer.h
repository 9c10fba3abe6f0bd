/*
 * Buffers of bytes that grow. Bytes are put at the end, and got at the position; numbers are big-endian.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
	unsigned char *bytes;
	size_t capacity, length; /* length: up to there is content */
	size_t position;         /* what comes next for the reader */
};

struct buffer *buffer_new(size_t capacity);
struct buffer *buffer_copy(const void *bytes, size_t length);
void buffer_free(struct buffer *buffer); /* NULL: nothing */

size_t buffer_remaining(const struct buffer *buffer);
int buffer_has_remaining(const struct buffer *buffer);
const unsigned char *buffer_next(const struct buffer *buffer); /* what remains begins there */
void buffer_skip(struct buffer *buffer, size_t count);
void buffer_rewind(struct buffer *buffer);
void buffer_compact(struct buffer *buffer); /* drops what has been read */
void buffer_clear(struct buffer *buffer);

void buffer_put(struct buffer *buffer, const void *bytes, size_t length);
void buffer_put_u8(struct buffer *buffer, uint8_t value);
void buffer_put_u16(struct buffer *buffer, uint16_t value);
void buffer_put_u32(struct buffer *buffer, uint32_t value);
void buffer_put_varint(struct buffer *buffer, uint32_t value); /* seven bits a byte, the low ones first */

/* 0: there are not enough bytes, and none was read. */
int buffer_get(struct buffer *buffer, void *bytes, size_t length);
int buffer_get_u8(struct buffer *buffer, uint8_t *value);
int buffer_get_u16(struct buffer *buffer, uint16_t *value);
int buffer_get_u32(struct buffer *buffer, uint32_t *value);
int buffer_get_varint(struct buffer *buffer, uint32_t *value);

/* How far away the next such byte is; -1: there is none. */
long buffer_find(const struct buffer *buffer, unsigned char byte);
uint16_t buffer_checksum(const void *bytes, size_t length);

#endif
