/*
 * Text from outside (a name, a path, a program's message) as it may be shown on a terminal and on a line of a report:
 * characters that would move the cursor, end the line or change the writing direction, and bytes that are not UTF-8, are
 * written as \n, \t, \r or \xHH. A backslash stays as it is: most texts with one are source code. The functions call
 * nothing, so that the engine can use them, too.
 */
#ifndef SL_BASE_SHOWN_H
#define SL_BASE_SHOWN_H

#include "base/utf8.h"

#include <stdbool.h>

#define SL_SHOWN_MAX 16 /* bytes that one character can become */

/* Returns whether the character of n bytes (sl_utf8_length(); 0: not a character) can be shown as it is. */
static inline bool
sl_shown_is_plain(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;

	if (n == 1)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (n == 2) /* the second set of controls; a mark of direction */
		return !(s[0] == 0xc2 && s[1] < 0xa0) && !(s[0] == 0xd8 && s[1] == 0x9c);
	if (n == 3 && s[0] == 0xe2 && s[1] == 0x80) /* U+200E and F, U+2028 to 202E: direction, ends of lines */
		return !(s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae));
	if (n == 3 && s[0] == 0xe2 && s[1] == 0x81) /* U+2066 to 2069: direction */
		return !(s[2] >= 0xa6 && s[2] <= 0xa9);
	return n != 0;
}

/* Stores the next character of the text as it is shown, *size bytes without a null at the end. Returns the number of bytes of the text
 * that it takes. */
static inline size_t
sl_shown_next(const char *text, size_t left, char shown[SL_SHOWN_MAX], size_t *size)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = sl_utf8_length(text, left), bytes = n ? n : 1;
	bool plain = sl_shown_is_plain(text, n);

	*size = 0;
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i]; /* NOLINT: there is text up to `left` */

		if (plain) {
			shown[(*size)++] = (char)c;
			continue;
		}
		shown[(*size)++] = '\\';
		if (c == '\n' || c == '\t' || c == '\r') {
			shown[(*size)++] = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
			continue;
		}
		shown[(*size)++] = 'x';
		shown[(*size)++] = digits[c >> 4];
		shown[(*size)++] = digits[c & 15];
	}
	return bytes;
}

/* Stores the whole text in `to`, cut between two characters if there is no more room, and returns `to`. */
static inline const char *
sl_shown(char *to, size_t room, const char *text)
{
	size_t left = 0, used = 0, size;
	char shown[SL_SHOWN_MAX];

	while (text[left])
		left++;
	while (left) {
		size_t bytes = sl_shown_next(text, left, shown, &size);

		if (used + size >= room)
			break;
		for (size_t i = 0; i < size; i++)
			to[used++] = shown[i];
		text += bytes;
		left -= bytes;
	}
	to[used] = '\0';
	return to;
}

/* The same for an array that already has the text; its end is cut if there is no room for it. */
static inline void
sl_shown_in_place(char *text, size_t room)
{
	size_t size = 0;
	bool plain = true;

	while (text[size])
		size++;
	for (size_t i = 0, n; i < size && plain; i += n ? n : 1) {
		n = sl_utf8_length(text + i, size - i);
		plain = sl_shown_is_plain(text + i, n);
	}
	if (plain)
		return;

	char copy[size + 1];

	for (size_t i = 0; i <= size; i++)
		copy[i] = text[i];
	sl_shown(text, room, copy);
}

#endif
