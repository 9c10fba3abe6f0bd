/*
 * Accesses of calls of libc or the kernel to the program's memory, if the call is in instrumented code; for
 * functions that the engine defines for other reasons (touched.c has the rest). NULL is ignored.
 */
#ifndef SL_ENGINE_MODEL_MEMORY_TOUCHED_H
#define SL_ENGINE_MODEL_MEMORY_TOUCHED_H

#include <stddef.h>
#include <stdint.h>

/* Reads a string. */
void sl_touch_string(const char *s, uint64_t pc);
/*
 * To be called before the call, with the bytes that it may write, and after it, with those that it has written
 * (engine/upcall/access.h).
 */
void sl_touch_intend(const void *at, size_t size, uint64_t pc);
void sl_touch_written(const void *at, size_t size, uint64_t pc);
/* Reads this number of bytes. */
void sl_touch_read(const void *at, size_t size, uint64_t pc);

struct pollfd;
void sl_touch_polls(const struct pollfd *fds, size_t count, uint64_t pc);
void sl_touch_polled(const struct pollfd *fds, size_t count, uint64_t pc);

/* A set of select(), which is read and then written. */
#define SL_SET_BYTES(count) (((size_t)((count) < 0 ? 0 : (count)) + 63) / 64 * 8)
void sl_touch_set(const void *set, int count, uint64_t pc);

#endif
