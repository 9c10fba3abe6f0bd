#include "report/words.h"

#include "base/shown.h"

#include <inttypes.h>
#include <stdlib.h>

const char *
sl_ink(const struct sl_style *style, enum sl_ink ink)
{
	static const char *const codes[] = {
		[SL_INK_NONE] = "\033[0m",   [SL_INK_BOLD] = "\033[1m",   [SL_INK_DIM] = "\033[2m",
		[SL_INK_RED] = "\033[1;31m", [SL_INK_GREEN] = "\033[32m", [SL_INK_YELLOW] = "\033[33m",
		[SL_INK_CYAN] = "\033[36m",
	};

	return style->colour ? codes[ink] : "";
}

/* Bytes that go on with a character take no column. Wide characters are counted as one column, too. */
size_t
sl_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

bool
sl_source_line(const char *path, uint32_t number, char *text, size_t room)
{
	FILE *f = path && number ? fopen(path, "re") : NULL;
	uint32_t line = 1;
	size_t used = 0;
	int c = EOF;

	if (!f)
		return false;
	while (line < number && (c = getc(f)) != EOF)
		line += c == '\n';
	if (line == number) {
		while ((c = getc(f)) != EOF && c != '\n') {
			if (c == '\t' || c == '\r')
				c = ' ';
			if ((used || c != ' ') && used + 1 < room && (c >= 0x20 && c != 0x7f))
				text[used++] = (char)c;
		}
	}
	fclose(f);
	while (used && text[used - 1] == ' ')
		used--;
	text[used] = '\0';
	sl_shown_in_place(text, room);
	return used > 0;
}

const char *
sl_count_format(uint64_t count, char *text)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = text;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}
