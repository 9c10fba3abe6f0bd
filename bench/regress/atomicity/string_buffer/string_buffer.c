/*
 * A buffer of characters that threads share. After the class StringBuffer of the JDK: each function is atomic.
 */
#include "string_buffer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- with the lock ---- */

static void
check(int holds)
{
	if (!holds)
		abort();
}

static void
make_room(struct string_buffer *b, size_t room)
{
	size_t more = 2 * b->room + 2;

	if (room <= b->room)
		return;
	if (more < room)
		more = room;
	b->text = realloc(b->text, more);
	check(b->text != NULL);
	b->room = more;
}

static void
edited(struct string_buffer *b)
{
	b->edits++;
	b->has_hash = 0;
}

/* Puts `count` characters at the place of those from `from` up to `to`. */
static void
splice(struct string_buffer *b, size_t from, size_t to, const char *text, size_t count)
{
	check(from <= to && to <= b->length);
	make_room(b, b->length - (to - from) + count);
	memmove(b->text + from + count, b->text + to, b->length - to);
	memcpy(b->text + from, text, count);
	b->length = b->length - (to - from) + count;
	edited(b);
}

static int
is_at(const struct string_buffer *b, size_t at, const char *text, size_t count)
{
	if (count > b->length || at > b->length - count)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (b->text[at + i] != text[i])
			return 0;
	return 1;
}

/* ---- life ---- */

struct string_buffer *
buffer_new(const char *text)
{
	struct string_buffer *b = calloc(1, sizeof(*b));

	check(b != NULL);
	pthread_mutex_init(&b->lock, NULL);
	splice(b, 0, 0, text, strlen(text));
	return b;
}

void
buffer_free(struct string_buffer *b)
{
	pthread_mutex_destroy(&b->lock);
	free(b->text);
	free(b);
}

/* ---- what it is ---- */

size_t
buffer_length(struct string_buffer *b)
{
	size_t length;

	pthread_mutex_lock(&b->lock);
	length = b->length;
	pthread_mutex_unlock(&b->lock);
	return length;
}

size_t
buffer_room(struct string_buffer *b)
{
	size_t room;

	pthread_mutex_lock(&b->lock);
	room = b->room;
	pthread_mutex_unlock(&b->lock);
	return room;
}

unsigned
buffer_edits(struct string_buffer *b)
{
	unsigned edits;

	pthread_mutex_lock(&b->lock);
	edits = b->edits;
	pthread_mutex_unlock(&b->lock);
	return edits;
}

unsigned
buffer_hash(struct string_buffer *b)
{
	unsigned hash = 7;

	pthread_mutex_lock(&b->lock);
	if (!b->has_hash) {
		for (size_t i = 0; i < b->length; i++)
			hash = 31 * hash + (unsigned char)b->text[i];
		b->hash = hash;
		b->has_hash = 1;
	}
	hash = b->hash;
	pthread_mutex_unlock(&b->lock);
	return hash;
}

int
buffer_is_empty(struct string_buffer *b)
{
	int is_empty;

	pthread_mutex_lock(&b->lock);
	is_empty = !b->length;
	pthread_mutex_unlock(&b->lock);
	return is_empty;
}

char
buffer_char_at(struct string_buffer *b, size_t at)
{
	char c;

	pthread_mutex_lock(&b->lock);
	check(at < b->length);
	c = b->text[at];
	pthread_mutex_unlock(&b->lock);
	return c;
}

void
buffer_get_chars(struct string_buffer *b, size_t from, size_t to, char *chars)
{
	pthread_mutex_lock(&b->lock);
	check(from <= to && to <= b->length);
	memcpy(chars, b->text + from, to - from);
	pthread_mutex_unlock(&b->lock);
}

size_t
buffer_copy(struct string_buffer *b, char *text, size_t size)
{
	size_t length;

	pthread_mutex_lock(&b->lock);
	length = b->length;
	if (size) {
		size_t count = length < size - 1 ? length : size - 1;

		memcpy(text, b->text, count);
		text[count] = '\0';
	}
	pthread_mutex_unlock(&b->lock);
	return length;
}

/* ---- edits ---- */

void
buffer_append(struct string_buffer *b, const char *text)
{
	pthread_mutex_lock(&b->lock);
	splice(b, b->length, b->length, text, strlen(text));
	pthread_mutex_unlock(&b->lock);
}

void
buffer_append_char(struct string_buffer *b, char c)
{
	pthread_mutex_lock(&b->lock);
	make_room(b, b->length + 1);
	b->text[b->length++] = c;
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_append_number(struct string_buffer *b, long number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%ld", number);
	buffer_append(b, digits);
}

void
buffer_append_buffer(struct string_buffer *b, struct string_buffer *other)
{
	size_t length;
	char *text;

	pthread_mutex_lock(&other->lock);
	length = other->length;
	text = malloc(length + 1);
	check(text != NULL);
	memcpy(text, other->text, length);
	pthread_mutex_unlock(&other->lock);
	pthread_mutex_lock(&b->lock);
	splice(b, b->length, b->length, text, length);
	pthread_mutex_unlock(&b->lock);
	free(text);
}

void
buffer_insert(struct string_buffer *b, size_t at, const char *text)
{
	pthread_mutex_lock(&b->lock);
	splice(b, at, at, text, strlen(text));
	pthread_mutex_unlock(&b->lock);
}

void
buffer_delete(struct string_buffer *b, size_t from, size_t to)
{
	pthread_mutex_lock(&b->lock);
	splice(b, from, to < b->length ? to : b->length, "", 0);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_delete_char(struct string_buffer *b, size_t at)
{
	pthread_mutex_lock(&b->lock);
	splice(b, at, at + 1, "", 0);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_replace(struct string_buffer *b, size_t from, size_t to, const char *text)
{
	pthread_mutex_lock(&b->lock);
	splice(b, from, to < b->length ? to : b->length, text, strlen(text));
	pthread_mutex_unlock(&b->lock);
}

void
buffer_set_char(struct string_buffer *b, size_t at, char c)
{
	pthread_mutex_lock(&b->lock);
	check(at < b->length);
	b->text[at] = c;
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_set_length(struct string_buffer *b, size_t length)
{
	pthread_mutex_lock(&b->lock);
	make_room(b, length);
	for (size_t i = b->length; i < length; i++)
		b->text[i] = ' ';
	b->length = length;
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_reserve(struct string_buffer *b, size_t room)
{
	pthread_mutex_lock(&b->lock);
	make_room(b, room);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_compact(struct string_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	if (b->length && b->length < b->room) {
		char *text = realloc(b->text, b->length);

		if (text) {
			b->text = text;
			b->room = b->length;
		}
	}
	pthread_mutex_unlock(&b->lock);
}

void
buffer_reverse(struct string_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->length / 2; i++) {
		char c = b->text[i];

		b->text[i] = b->text[b->length - 1 - i];
		b->text[b->length - 1 - i] = c;
	}
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_upper(struct string_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->length; i++)
		b->text[i] = (char)toupper((unsigned char)b->text[i]);
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_lower(struct string_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->length; i++)
		b->text[i] = (char)tolower((unsigned char)b->text[i]);
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

void
buffer_trim_end(struct string_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->length && b->text[b->length - 1] == ' ')
		b->length--;
	edited(b);
	pthread_mutex_unlock(&b->lock);
}

/* ---- search ---- */

size_t
buffer_index_of(struct string_buffer *b, const char *text, size_t from)
{
	size_t count = strlen(text), at = NOT_FOUND;

	pthread_mutex_lock(&b->lock);
	for (size_t i = from; i + count <= b->length && at == NOT_FOUND; i++)
		if (is_at(b, i, text, count))
			at = i;
	pthread_mutex_unlock(&b->lock);
	return at;
}

size_t
buffer_last_index_of(struct string_buffer *b, const char *text)
{
	size_t count = strlen(text), at = NOT_FOUND;

	pthread_mutex_lock(&b->lock);
	for (size_t i = b->length + 1; i && at == NOT_FOUND; i--)
		if (is_at(b, i - 1, text, count))
			at = i - 1;
	pthread_mutex_unlock(&b->lock);
	return at;
}

size_t
buffer_count(struct string_buffer *b, char c)
{
	size_t count = 0;

	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->length; i++)
		count += b->text[i] == c;
	pthread_mutex_unlock(&b->lock);
	return count;
}

int
buffer_starts_with(struct string_buffer *b, const char *text)
{
	int starts;

	pthread_mutex_lock(&b->lock);
	starts = is_at(b, 0, text, strlen(text));
	pthread_mutex_unlock(&b->lock);
	return starts;
}

int
buffer_ends_with(struct string_buffer *b, const char *text)
{
	size_t count = strlen(text);
	int ends;

	pthread_mutex_lock(&b->lock);
	ends = count <= b->length && is_at(b, b->length - count, text, count);
	pthread_mutex_unlock(&b->lock);
	return ends;
}

int
buffer_equals(struct string_buffer *b, const char *text)
{
	size_t count = strlen(text);
	int same;

	pthread_mutex_lock(&b->lock);
	same = count == b->length && is_at(b, 0, text, count);
	pthread_mutex_unlock(&b->lock);
	return same;
}

int
buffer_compare(struct string_buffer *b, const char *text)
{
	size_t count = strlen(text), i = 0;
	int order;

	pthread_mutex_lock(&b->lock);
	while (i < count && i < b->length && b->text[i] == text[i])
		i++;
	if (i < count && i < b->length)
		order = (unsigned char)b->text[i] - (unsigned char)text[i];
	else
		order = (b->length > i) - (count > i);
	pthread_mutex_unlock(&b->lock);
	return order;
}
