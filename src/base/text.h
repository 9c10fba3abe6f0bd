/*
 * Copying text into an array of characters: cut where there is no more room, and always terminated. The functions call nothing, so that
 * the engine can use them, too. (sl_text_cut() of the command knows about UTF-8.)
 */
#ifndef SL_BASE_TEXT_H
#define SL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

static inline void
sl_text_copy(char *to, size_t room, const char *from)
{
	size_t i = 0;

	for (; from && i < room - 1 && from[i]; i++)
		to[i] = from[i];
	to[i] = '\0';
}

static inline bool
sl_text_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Appends text, or a number, to the *used characters in the array. */
static inline void
sl_text_add(char *to, size_t room, size_t *used, const char *text)
{
	sl_text_copy(to + *used, room - *used, text);
	while (to[*used])
		++*used;
}

static inline void
sl_text_add_number(char *to, size_t room, size_t *used, unsigned long number)
{
	char digits[24];
	int n = 23;

	digits[n] = '\0';
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	sl_text_add(to, room, used, digits + n);
}

#endif
