/*
 * The file of a tape, for its writers (tape_write.c): one, or several at the same time, each from a thread of its own. A
 * block goes in whole; in the order in which they come.
 */
#ifndef SL_TRACE_TAPE_TAPE_FILE_H
#define SL_TRACE_TAPE_TAPE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_tape_head;
struct sl_tape_file;

/* With its header. NULL and a sentence if it can't be made. */
struct sl_tape_file *sl_tape_file_new(const char *path, const struct sl_tape_head *head, struct sl_err *err);

/* A block: what it starts with, and its body. */
void sl_tape_file_put(struct sl_tape_file *file, const void *start, size_t start_size, const void *body,
		      size_t body_size);

/* Something could not be written, as errno says: nothing is from now on. */
void sl_tape_file_fail(struct sl_tape_file *file);
bool sl_tape_file_has_failed(struct sl_tape_file *file);

/* So many items are in it, of one writer. */
void sl_tape_file_count(struct sl_tape_file *file, uint64_t items);

/* Closes it and answers what is in it. Negative and a sentence if that is not all. */
int sl_tape_file_free(struct sl_tape_file *file, uint64_t *items, uint64_t *bytes, struct sl_err *err);

#endif
