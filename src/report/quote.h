/*
 * Words of a command, as a shell (bash, zsh, ksh) reads them: it can be seen where each begins and ends, and none breaks a line.
 */
#ifndef SL_REPORT_QUOTE_H
#define SL_REPORT_QUOTE_H

#include <stdio.h>

void sl_word_put(FILE *out, const char *word);
/* Up to NULL, with a blank between them. */
void sl_words_put(FILE *out, char *const *words);
/* The same in memory that the caller frees. */
char *sl_words_format(char *const *words);
/* A name among others on a line, which whoever named it may have put anything into: "a\nb" is four characters. Blanks follow up to the width. */
void sl_line_put(FILE *out, const char *text, int width);

#endif
