#include "text.h"

#include <stdarg.h>
#include <stdio.h>

void
text_init(struct text *text, char *start, size_t size)
{
	text->start = start;
	text->size = size;
	text->length = 0;
	if (size)
		*start = 0;
}

void
text_add(struct text *text, const char *format, ...)
{
	size_t room = text->length < text->size ? text->size - text->length : 0;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(room ? text->start + text->length : NULL, room, format, args);
	va_end(args);
	if (length > 0)
		text->length += (size_t)length;
}

/* Where the line began cannot be seen in what did not fit: such a line is not padded. */
void
text_pad(struct text *text, size_t column)
{
	size_t used = 0;

	if (text->length >= text->size)
		return;
	while (used < text->length && text->start[text->length - used - 1] != '\n')
		used++;
	text_add(text, "%*s", used < column ? (int)(column - used) : 1, "");
}
