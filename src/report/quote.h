/*
 * Words of a command, as a shell (bash, zsh, ksh) reads them: it can be seen where each begins and ends, and none breaks a line.
 * And text of a stranger on a line of ours (base/shown.h).
 */
#ifndef SL_REPORT_QUOTE_H
#define SL_REPORT_QUOTE_H

#include <stddef.h>
#include <stdio.h>

void sl_word_put(FILE *out, const char *word);
/* The name of a file, which is no option even if it begins with a dash. */
void sl_path_put(FILE *out, const char *path);
/* Up to NULL, with a blank between them. */
void sl_words_put(FILE *out, char *const *words);
/* The same in memory that the caller frees. */
char *sl_words_format(char *const *words);
/* Text as it may be shown: "\\n", "\\x1b" for what would end the line or control the terminal. */
void sl_text_put(FILE *out, const char *text, size_t size);
/* As fprintf(), but nothing that was put into the format ends the line or controls the terminal; what the format ends with, does. */
void sl_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name among others on a line, into which its author may have put anything: "a\nb" is four characters. Blanks follow up to the width. */
void sl_line_put(FILE *out, const char *text, int width);

#endif
