#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cli/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NESTING_MAX 32
#define EXIT_UNABLE 3

void *
sl_args_must(void *memory)
{
	if (!memory) {
		fputs("sleave: out of memory\n", stderr);
		exit(EXIT_UNABLE);
	}
	return memory;
}

char *
sl_args_text(const char *format, ...)
{
	va_list rest;
	char *made = NULL;

	va_start(rest, format);
	if (vasprintf(&made, format, rest) < 0)
		made = NULL;
	va_end(rest);
	return sl_args_must(made);
}

void
sl_args_add(struct sl_args *args, const char *word)
{
	if (args->count + 2 > args->room) {
		args->room = args->room ? args->room * 2 : 64;
		args->items = sl_args_must(realloc(args->items, args->room * sizeof(*args->items)));
	}
	args->items[args->count++] = (char *)word;
	args->items[args->count] = NULL;
}

void
sl_args_add_each(struct sl_args *args, const char *word, ...)
{
	va_list rest;

	va_start(rest, word);
	for (; word; word = va_arg(rest, const char *))
		sl_args_add(args, word);
	va_end(rest);
}

void
sl_args_parse(struct sl_args *args, const char *text, size_t size)
{
	const char *end = text + size;
	char *word = sl_args_must(malloc(size + 1));

	for (;;) {
		size_t length = 0;
		char quote = 0;

		while (text < end && isspace((unsigned char)*text))
			text++;
		if (text == end)
			break;
		for (; text < end && (quote || !isspace((unsigned char)*text)); text++) {
			if (*text == '\\' && text + 1 < end)
				word[length++] = *++text;
			else if (quote ? *text == quote : *text == '"' || *text == '\'')
				quote = quote ? 0 : *text;
			else
				word[length++] = *text;
		}
		word[length] = 0;
		sl_args_add(args, sl_args_must(strdup(word)));
	}
	free(word);
}

static char *
file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *data = NULL;
	size_t room = 0, count;

	if (!file)
		return NULL;
	*size = 0;
	do {
		if (*size >= room)
			data = sl_args_must(realloc(data, room = room ? room * 2 : 4096));
		count = fread(data + *size, 1, room - *size, file);
		*size += count;
	} while (count);
	if (ferror(file)) { /* a folder, for instance */
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}

static int
expand(struct sl_args *args, const char *word, int depth, struct sl_err *err)
{
	struct sl_args inner = {0};
	size_t size;
	char *data = word[0] == '@' ? file_read(word + 1, &size) : NULL;
	int result = 0;

	if (!data) {
		sl_args_add(args, word);
		return 0;
	}
	sl_args_parse(&inner, data, size);
	free(data);
	if (depth >= NESTING_MAX)
		return sl_err_set(err, "%s: response files name each other without end", word);
	for (size_t i = 0; i < inner.count && result == 0; i++)
		result = expand(args, inner.items[i], depth + 1, err);
	free(inner.items);
	return result;
}

int
sl_args_expand(struct sl_args *args, const char *word, struct sl_err *err)
{
	return expand(args, word, 0, err);
}

char *
sl_args_memory_file(const char *name, const char *data, size_t size)
{
	int fd = memfd_create(name, 0); /* no MFD_CLOEXEC: the compiler is to inherit it */

	for (size_t done = 0; fd >= 0 && done < size;) {
		ssize_t count = write(fd, data + done, size - done);

		if (count < 0)
			fd = -1;
		else
			done += (size_t)count;
	}
	if (fd < 0) {
		fprintf(stderr, "sleave: cannot make a file in memory: %s\n", strerror(errno));
		exit(EXIT_UNABLE);
	}
	return sl_args_text("/proc/self/fd/%d", fd);
}

char *
sl_args_write(const struct sl_args *args)
{
	char *data = NULL, *file, *word;
	size_t size = 0;
	FILE *out = sl_args_must(open_memstream(&data, &size));

	for (size_t i = 0; i < args->count; i++) {
		const char *at = args->items[i];

		if (!*at)
			fputs("''", out);
		for (; *at; at++) {
			if (isspace((unsigned char)*at) || strchr("\\'\"", *at))
				fputc('\\', out);
			fputc(*at, out);
		}
		fputc('\n', out);
	}
	if (fclose(out))
		sl_args_must(NULL);
	file = sl_args_memory_file("sleave.response", data, size);
	word = sl_args_text("@%s", file);
	free(file);
	free(data);
	return word;
}
