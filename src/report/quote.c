#include "report/quote.h"

#include "base/room.h"
#include "base/shown.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 128 ||
	       (c && strchr("_@%+=:,./-", c));
}

/* As $'…': characters that can't be seen, or would end the line, by their numbers. */
static void
put_escaped(FILE *out, const char *word)
{
	size_t left = strlen(word);

	fputs("$'", out);
	for (size_t bytes; left; word += bytes, left -= bytes) {
		size_t n = sl_utf8_length(word, left);

		bytes = n ? n : 1;
		if (*word == '\'' || *word == '\\')
			fprintf(out, "\\%c", *word);
		else if (*word == '\n' || *word == '\t')
			fputs(*word == '\n' ? "\\n" : "\\t", out);
		else if (sl_shown_is_plain(word, n))
			fwrite(word, 1, n, out);
		else
			for (size_t i = 0; i < bytes; i++)
				fprintf(out, "\\%03o", (unsigned char)word[i]);
	}
	fputc('\'', out);
}

void
sl_text_put(FILE *out, const char *text, size_t size)
{
	char shown[SL_SHOWN_MAX];

	for (size_t bytes, n; size; text += bytes, size -= bytes) {
		bytes = sl_shown_next(text, size, shown, &n);
		fwrite(shown, 1, n, out);
	}
}

void
sl_say(FILE *out, const char *format, ...)
{
	size_t size = strlen(format);
	bool ends = size && format[size - 1] == '\n';
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		abort();
	sl_text_put(out, text, (size_t)length - ends);
	if (ends)
		fputc('\n', out);
	free(text);
}

void
sl_line_put(FILE *out, const char *text, int width)
{
	size_t left = strlen(text), bytes, n;
	char shown[SL_SHOWN_MAX];
	int columns = 0;

	for (; left; text += bytes, left -= bytes) {
		bytes = sl_shown_next(text, left, shown, &n);
		if (*text == '\\') {
			fputc('\\', out);
			columns++;
		}
		fwrite(shown, 1, n, out);
		columns += shown[0] == '\\' ? (int)n : 1;
	}
	for (; columns < width; columns++)
		fputc(' ', out);
}

void
sl_word_put(FILE *out, const char *word)
{
	bool plain = *word, control = false;

	for (size_t i = 0, size = strlen(word), n; i < size; i += n ? n : 1) {
		n = sl_utf8_length(word + i, size - i);
		plain &= is_plain((unsigned char)word[i]);
		control |= !sl_shown_is_plain(word + i, n);
	}
	plain &= !control;
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
sl_path_put(FILE *out, const char *path)
{
	char *longer = NULL;

	if (*path == '-' && asprintf(&longer, "./%s", path) < 0)
		abort();
	sl_word_put(out, longer ? longer : path);
	free(longer);
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
	FILE *out = sl_must(open_memstream(&text, &size));

	sl_words_put(out, words);
	if (fclose(out) != 0 || !text)
		abort();
	return text;
}
