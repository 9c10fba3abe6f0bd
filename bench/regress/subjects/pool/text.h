/*
 * Text that is appended to a buffer of a fixed size. What does not fit is counted, but not written.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

struct text {
	char *start;
	size_t size, length; /* length: as if everything had fitted */
};

void text_init(struct text *text, char *start, size_t size);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_pad(struct text *text, size_t column); /* spaces up to there, and at least one */

#endif
