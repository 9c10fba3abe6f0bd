/*
 * Comparing text, and copying it into an array of characters: cut where there is no more room, and always terminated.
 * The functions call nothing, so that the engine can use them, too: strcmp() may be the program's own there.
 * (sl_text_cut() of the command knows about UTF-8.)
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

static inline size_t
sl_text_length(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

/* Two that are both missing (NULL) are the same. */
static inline bool
sl_text_same(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline bool
sl_text_begins(const char *text, const char *beginning)
{
	while (*beginning)
		if (*text++ != *beginning++)
			return false;
	return true;
}

/* Appends text, or a number, to the *used characters in the array. */
static inline void
sl_text_add(char *to, size_t room, size_t *used, const char *text)
{
	sl_text_copy(to + *used, room - *used, text);
	while (to[*used])
		++*used;
}

#define SL_DIGITS 24

/* Returns the number as text, which is in `digits`. */
static inline const char *
sl_digits(unsigned long number, char digits[SL_DIGITS])
{
	int n = SL_DIGITS - 1;

	digits[n] = '\0';
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	return digits + n;
}

static inline void
sl_text_add_number(char *to, size_t room, size_t *used, unsigned long number)
{
	char digits[SL_DIGITS];

	sl_text_add(to, room, used, sl_digits(number, digits));
}

#endif
