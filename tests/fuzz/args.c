/* The words of a response file: any text gives words that, written as a response file, are the same words. */
#include "cli/args.h"

#include "fuzz.h"

#include <string.h>
#include <unistd.h>

static void
release(struct sl_args *args)
{
	for (size_t i = 0; i < args->count; i++)
		free(args->items[i]);
	free(args->items);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_args first = {0}, second = {0};
	char *text = malloc(2 * size + 64), *word, *rest;
	ssize_t length;
	int fd;

	HOLDS(text);
	sl_args_parse(&first, (const char *)data, size);
	HOLDS(!first.items || !first.items[first.count]);
	word = sl_args_write(&first);
	HOLDS(strncmp(word, "@/proc/self/fd/", 15) == 0);
	fd = (int)strtol(word + 15, &rest, 10);
	HOLDS(!*rest);
	length = pread(fd, text, 2 * size + 64, 0);
	HOLDS(length >= 0);
	sl_args_parse(&second, text, (size_t)length);
	HOLDS(first.count == second.count);
	for (size_t i = 0; i < first.count; i++)
		HOLDS(strcmp(first.items[i], second.items[i]) == 0);
	close(fd);
	free(word);
	free(text);
	release(&first);
	release(&second);
	return 0;
}
