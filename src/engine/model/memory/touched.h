/*
 * What a call of libc or the kernel reads and writes in memory that the program gives it, if the call is in instrumented
 * code; for those that the engine has for other reasons (touched.c has the rest). NULL is passed over.
 */
#ifndef SL_ENGINE_MODEL_MEMORY_TOUCHED_H
#define SL_ENGINE_MODEL_MEMORY_TOUCHED_H

#include <stddef.h>
#include <stdint.h>

/* Read: a string. */
void sl_touch_string(const char *s, uint64_t pc);
/* Before the call, as much as it may write; after it, what it has written (engine.h). */
void sl_touch_intend(const void *at, size_t size, uint64_t pc);
void sl_touch_written(const void *at, size_t size, uint64_t pc);
/* Read: so many bytes. */
void sl_touch_read(const void *at, size_t size, uint64_t pc);

struct pollfd;
void sl_touch_polls(const struct pollfd *fds, size_t count, uint64_t pc);
void sl_touch_polled(const struct pollfd *fds, size_t count, uint64_t pc);

/* A set of select(), which is read, and written later. */
#define SL_SET_BYTES(count) (((size_t)((count) < 0 ? 0 : (count)) + 63) / 64 * 8)
void sl_touch_set(const void *set, int count, uint64_t pc);

#endif
