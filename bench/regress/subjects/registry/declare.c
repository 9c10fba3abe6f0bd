#include "declare.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *next;
	unsigned line;
	struct declare_error *error;
};

static int
fail(struct reader *reader, const char *what, const char *word)
{
	reader->error->line = reader->line;
	snprintf(reader->error->message, sizeof(reader->error->message), "%s%s", what, word);
	return 0;
}

static void
skip_blanks(struct reader *reader)
{
	for (;; reader->next++) {
		if (*reader->next == '#')
			reader->next += strcspn(reader->next, "\n");
		if (!isspace((unsigned char)*reader->next))
			return;
		reader->line += *reader->next == '\n';
	}
}

static int
read_word(struct reader *reader, char *word)
{
	size_t length = 0;

	skip_blanks(reader);
	while (isalnum((unsigned char)reader->next[length]) || reader->next[length] == '_')
		length++;
	if (!length)
		return fail(reader, "a name is missing", "");
	if (length >= TYPE_NAME)
		return fail(reader, "a name is too long", "");
	memcpy(word, reader->next, length);
	word[length] = 0;
	reader->next += length;
	return 1;
}

static int
read_sign(struct reader *reader, char sign)
{
	char text[2] = {sign, 0};

	skip_blanks(reader);
	if (*reader->next != sign)
		return fail(reader, "expected ", text);
	reader->next++;
	return 1;
}

static int
is_next(struct reader *reader, char sign)
{
	skip_blanks(reader);
	return *reader->next == sign;
}

static int
read_property(struct reader *reader, struct type *type)
{
	char name[TYPE_NAME];
	struct value initial;

	if (!read_word(reader, name) || !read_sign(reader, '='))
		return 0;
	skip_blanks(reader);
	if (!value_parse(reader->next, &reader->next, &initial))
		return fail(reader, "there is no value for ", name);
	if (!type_add_property(type, name, initial))
		return fail(reader, "declared twice: ", name);
	return read_sign(reader, ';');
}

static int
read_body(struct reader *reader, struct type *type)
{
	if (!read_sign(reader, '{'))
		return 0;
	while (!is_next(reader, '}'))
		if (!read_property(reader, type))
			return 0;
	reader->next++;
	return 1;
}

static struct type *
read_type(struct reader *reader)
{
	char word[TYPE_NAME], name[TYPE_NAME], parent[TYPE_NAME] = "";
	struct type *type;

	if (!read_word(reader, word))
		return NULL;
	if (strcmp(word, "type") != 0) {
		fail(reader, "expected type, found ", word);
		return NULL;
	}
	if (!read_word(reader, name))
		return NULL;
	if (!is_next(reader, '{')) {
		if (!read_word(reader, word))
			return NULL;
		if (strcmp(word, "from") != 0) {
			fail(reader, "expected from, found ", word);
			return NULL;
		}
		if (!read_word(reader, parent))
			return NULL;
	}
	type = type_new(name, parent);
	if (!read_body(reader, type)) {
		type_free(type);
		return NULL;
	}
	return type;
}

int
declare_types(struct registry *registry, const char *text, struct declare_error *error)
{
	struct reader reader = {.next = text, .line = 1, .error = error};
	int count = 0;

	for (skip_blanks(&reader); *reader.next; skip_blanks(&reader)) {
		struct type *type = read_type(&reader);

		if (!type)
			return -1;
		if (!registry_declare(registry, type)) {
			fail(&reader, "a type of that name is there already, or its parent is not: ", type->name);
			type_free(type);
			return -1;
		}
		count++;
	}
	return count;
}
