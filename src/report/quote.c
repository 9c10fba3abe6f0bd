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

/* $'…': what can't be seen, or would end the line, is written by its number. */
static void
put_escaped(FILE *out, const char *word)
{
	fputs("$'", out);
	for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
		if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '\t')
			fputs("\\t", out);
		else if (is_control(*c))
			fprintf(out, "\\%03o", *c);
		else
			fprintf(out, "%s%c", *c == '\\' || *c == '\'' ? "\\" : "", *c);
	}
	fputc('\'', out);
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
