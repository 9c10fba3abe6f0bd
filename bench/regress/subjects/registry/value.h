/*
 * Values: nothing, a number, or a text. A text belongs to its value.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stddef.h>

enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_TEXT };

struct value {
	enum value_kind kind;
	long number;
	char *text;
};

struct value value_number(long number);
struct value value_text(const char *text); /* of a copy */
struct value value_copy(const struct value *value);
void value_release(struct value *value); /* it is nothing then */
int value_is_equal(const struct value *a, const struct value *b);
size_t value_format(const struct value *value, char *text, size_t size); /* as snprintf(); texts in quotes */

/* 0: the value does not mean anything in that kind; `to` is nothing then. */
int value_convert(const struct value *value, enum value_kind kind, struct value *to);
const char *value_kind_text(enum value_kind kind);

/* Reads what value_format() writes; *end is behind it. 0: that is not a value. */
int value_parse(const char *text, const char **end, struct value *value);

#endif
