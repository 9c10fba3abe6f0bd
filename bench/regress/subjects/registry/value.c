#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value
value_number(long number)
{
	return (struct value){.kind = VALUE_NUMBER, .number = number};
}

static struct value
text_of_length(const char *text, size_t length)
{
	struct value value = {.kind = VALUE_TEXT, .text = strndup(text, length)};

	if (!value.text)
		abort();
	return value;
}

struct value
value_text(const char *text)
{
	return text_of_length(text, strlen(text));
}

struct value
value_copy(const struct value *value)
{
	return value->kind == VALUE_TEXT ? value_text(value->text) : *value;
}

void
value_release(struct value *value)
{
	if (value->kind == VALUE_TEXT)
		free(value->text);
	*value = (struct value){.kind = VALUE_NONE};
}

int
value_is_equal(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind)
		return 0;
	if (a->kind == VALUE_TEXT)
		return strcmp(a->text, b->text) == 0;
	return a->kind == VALUE_NONE || a->number == b->number;
}

size_t
value_format(const struct value *value, char *text, size_t size)
{
	int length = 0;

	switch (value->kind) {
	case VALUE_NONE:
		length = snprintf(text, size, "nothing");
		break;
	case VALUE_NUMBER:
		length = snprintf(text, size, "%ld", value->number);
		break;
	case VALUE_TEXT:
		length = snprintf(text, size, "\"%s\"", value->text);
		break;
	}
	return length > 0 ? (size_t)length : 0;
}

static int
number_of_text(const char *text, struct value *to)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end)
		return 0;
	*to = value_number(number);
	return 1;
}

int
value_convert(const struct value *value, enum value_kind kind, struct value *to)
{
	char digits[32];

	*to = (struct value){.kind = VALUE_NONE};
	if (value->kind == kind) {
		*to = value_copy(value);
		return 1;
	}
	if (kind == VALUE_NUMBER && value->kind == VALUE_TEXT)
		return number_of_text(value->text, to);
	if (kind == VALUE_TEXT && value->kind == VALUE_NUMBER) {
		snprintf(digits, sizeof(digits), "%ld", value->number);
		*to = value_text(digits);
		return 1;
	}
	return 0;
}

const char *
value_kind_text(enum value_kind kind)
{
	static const char *const words[] = {
		[VALUE_NONE] = "nothing",
		[VALUE_NUMBER] = "a number",
		[VALUE_TEXT] = "a text",
	};

	return words[kind];
}

int
value_parse(const char *text, const char **end, struct value *value)
{
	char *number_end;
	long number;

	if (*text == '"') {
		const char *quote = strchr(text + 1, '"');

		if (!quote)
			return 0;
		*value = text_of_length(text + 1, (size_t)(quote - text - 1));
		*end = quote + 1;
		return 1;
	}
	if (strncmp(text, "nothing", 7) == 0) {
		*value = (struct value){.kind = VALUE_NONE};
		*end = text + 7;
		return 1;
	}
	number = strtol(text, &number_end, 10);
	if (number_end == text)
		return 0;
	*value = value_number(number);
	*end = number_end;
	return 1;
}
