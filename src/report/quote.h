/*
 * Words of a command as a shell (bash, zsh, ksh) reads them: each is delimited visibly, and none breaks the line.
 * And text from outside on a line of a report (base/shown.h).
 */
#ifndef SL_REPORT_QUOTE_H
#define SL_REPORT_QUOTE_H

#include <stddef.h>
#include <stdio.h>

void sl_word_put(FILE *out, const char *word);
/* Writes the name of a file so that it is no option, even if it begins with a dash. */
void sl_path_put(FILE *out, const char *path);
/* Writes the words up to NULL, with blanks between them. */
void sl_words_put(FILE *out, char *const *words);
/* The same in memory that the caller frees. */
char *sl_words_format(char *const *words);
/*
 * Writes text so that nothing in it ends the line or controls the terminal: "\
 * ", "\\x1b".
 */
void sl_text_put(FILE *out, const char *text, size_t size);
/*
 * As fprintf(), except that nothing in the arguments, and nothing in the format but its end, ends the line or
 * controls the terminal.
 */
void sl_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Writes a name as one of several on a line, whatever it contains: "a
 * b" is four characters. Blanks follow up to the width.
 */
void sl_line_put(FILE *out, const char *text, int width);

#endif
