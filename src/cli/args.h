/*
 * Lists of command-line arguments, and the response files (@file) in them, by the rules that gcc and clang share.
 * Used by `sleave cc`. Nothing is ever freed: the process is about to become the compiler.
 */
#ifndef SL_CLI_ARGS_H
#define SL_CLI_ARGS_H

#include "base/err.h"

#include <stddef.h>

/*
 * Always terminated by a NULL that is not counted, as execvp() needs it; `items` is NULL as long as nothing was
 * added.
 */
struct sl_args {
	char **items;
	size_t count, room;
};

void sl_args_add(struct sl_args *args, const char *word);

/* Adds the words up to the first NULL. */
void sl_args_add_each(struct sl_args *args, const char *word, ...) __attribute__((sentinel));

/* Adds the words of a text: blanks separate words, quotes of both kinds and backslashes protect blanks. */
void sl_args_parse(struct sl_args *args, const char *text, size_t size);

/*
 * Adds the word, or what it stands for if it is @file, response files in response files too. As in the compilers,
 * an @file that cannot be read is a plain word.
 */
int sl_args_expand(struct sl_args *args, const char *word, struct sl_err *err);

/* Creates a response file with these words in memory, and returns its @name. */
char *sl_args_write(const struct sl_args *args);

/* Creates an unnamed file that this process and its children can open as /proc/self/fd/N, also after execve(). */
char *sl_args_memory_file(const char *name, const char *data, size_t size);

/* Ends the process if the memory is NULL. */
void *sl_args_must(void *memory);

/* Like sprintf(), but allocates the result. */
char *sl_args_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
