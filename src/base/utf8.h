/*
 * The length of a UTF-8 character. Functions that write text for terminals and files use it, and escape other bytes.
 */
#ifndef SL_BASE_UTF8_H
#define SL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* 1 to 4 bytes; 0 if the bytes at text are no character: truncated, overlong, a surrogate or beyond Unicode. */
static inline size_t
sl_utf8_length(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;
	uint32_t c;

	if (!left)
		return 0;
	if (s[0] < 0x80)
		return 1;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || left < n)
		return 0;
	c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

#endif
