#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "version/line_list.h"

#include "base/room.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
format_new(const char *format, va_list list)
{
	char *text;

	if (vasprintf(&text, format, list) < 0)
		abort();
	return text;
}

char *
sl_line_new(const char *format, ...)
{
	va_list list;
	char *text;

	va_start(list, format);
	text = format_new(format, list);
	va_end(list);
	return text;
}

void
sl_line_add(struct sl_line_list *list, const char *format, ...)
{
	va_list arguments;

	list->items = sl_room_for(list->items, list->count + 1, &list->capacity, sizeof(*list->items));
	va_start(arguments, format);
	list->items[list->count++] = format_new(format, arguments);
	va_end(arguments);
	list->items[list->count] = NULL;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
sl_line_sort(struct sl_line_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_text);
}

bool
sl_line_has(const struct sl_line_list *list, const char *line)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], line) == 0)
			return true;
	return false;
}

void
sl_line_release(struct sl_line_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct sl_line_list){0};
}
