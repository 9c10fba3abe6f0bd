#include "report/quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 128 ||
	       (c && strchr("_@%+=:,./-", c));
}

static bool
is_control(unsigned char c)
{
	return c < 32 || c == 127;
}

/* What can't be seen, or would end the line, is written by its number. Returns how many characters that were. */
static int
put_character(FILE *out, unsigned char c, bool quoted)
{
	if (c == '\n')
		return fprintf(out, "\\n");
	if (c == '\t')
		return fprintf(out, "\\t");
	if (is_control(c))
		return fprintf(out, "\\%03o", c);
	return fprintf(out, "%s%c", c == '\\' || (quoted && c == '\'') ? "\\" : "", c);
}

/* $'…' */
static void
put_escaped(FILE *out, const char *word)
{
	fputs("$'", out);
	for (; *word; word++)
		put_character(out, (unsigned char)*word, true);
	fputc('\'', out);
}

void
sl_line_put(FILE *out, const char *text, int width)
{
	size_t clean = 0;
	int n;

	while (text[clean] && text[clean] != '\\' && !is_control((unsigned char)text[clean]))
		clean++;
	fwrite(text, 1, clean, out);
	n = (int)clean;
	for (text += clean; *text; text++)
		n += put_character(out, (unsigned char)*text, false);
	for (; n < width; n++)
		fputc(' ', out);
}

void
sl_word_put(FILE *out, const char *word)
{
	bool plain = *word, control = false;

	for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
		plain &= is_plain(*c);
		control |= is_control(*c);
	}
	if (plain) {
		fputs(word, out);
	} else if (control) {
		put_escaped(out, word);
	} else {
		fputc('\'', out);
		for (const char *c = word; *c; c++)
			fprintf(out, *c == '\'' ? "'\\%c'" : "%c", *c);
		fputc('\'', out);
	}
}

void
sl_words_put(FILE *out, char *const *words)
{
	for (char *const *w = words; *w; w++) {
		fputs(w == words ? "" : " ", out);
		sl_word_put(out, *w);
	}
}

char *
sl_words_format(char *const *words)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	sl_words_put(out, words);
	if (fclose(out) != 0 || !text)
		abort();
	return text;
}
