/*
 * The file of a tape, for its writers (tape_write.c): one, or several at the same time, each in a thread of its
 * own. Blocks are written whole, in the order in which they arrive.
 */
#ifndef SL_TRACE_TAPE_TAPE_FILE_H
#define SL_TRACE_TAPE_TAPE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_tape_head;
struct sl_tape_file;

/* Creates the file with its header. NULL and a sentence if that fails. */
struct sl_tape_file *sl_tape_file_new(const char *path, const struct sl_tape_head *head, struct sl_err *err);

/* Writes a block: its header and its body. */
void sl_tape_file_put(struct sl_tape_file *file, const void *start, size_t start_size, const void *body,
		      size_t body_size);

/* A write has failed, as errno says: nothing is written from now on. */
void sl_tape_file_fail(struct sl_tape_file *file);
bool sl_tape_file_has_failed(struct sl_tape_file *file);

/* One writer has written so many items. */
void sl_tape_file_count(struct sl_tape_file *file, uint64_t items);

/* Closes the file and counts what is in it. Negative and a sentence if something is missing. */
int sl_tape_file_free(struct sl_tape_file *file, uint64_t *items, uint64_t *bytes, struct sl_err *err);

#endif
