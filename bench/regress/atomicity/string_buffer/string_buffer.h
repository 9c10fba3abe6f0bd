#ifndef STRING_BUFFER_H
#define STRING_BUFFER_H

#include <pthread.h>
#include <stddef.h>

#define NOT_FOUND ((size_t)-1)

/* Text that grows. Each function is atomic; a position behind the end aborts. */
struct string_buffer {
	pthread_mutex_t lock;
	char *text;
	size_t length, room;
	unsigned edits, hash, has_hash;
};

struct string_buffer *buffer_new(const char *text);
void buffer_free(struct string_buffer *buffer);

size_t buffer_length(struct string_buffer *buffer);
size_t buffer_room(struct string_buffer *buffer);
unsigned buffer_edits(struct string_buffer *buffer);
unsigned buffer_hash(struct string_buffer *buffer);
int buffer_is_empty(struct string_buffer *buffer);
char buffer_char_at(struct string_buffer *buffer, size_t at);
/* Copies the characters from `from` up to `to`. */
void buffer_get_chars(struct string_buffer *buffer, size_t from, size_t to, char *chars);
size_t buffer_copy(struct string_buffer *buffer, char *text, size_t size); /* the length; with a 0 at the end */

void buffer_append(struct string_buffer *buffer, const char *text);
void buffer_append_char(struct string_buffer *buffer, char c);
void buffer_append_number(struct string_buffer *buffer, long number);
void buffer_append_buffer(struct string_buffer *buffer, struct string_buffer *other);
void buffer_insert(struct string_buffer *buffer, size_t at, const char *text);
void buffer_delete(struct string_buffer *buffer, size_t from, size_t to);
void buffer_delete_char(struct string_buffer *buffer, size_t at);
void buffer_replace(struct string_buffer *buffer, size_t from, size_t to, const char *text);
void buffer_set_char(struct string_buffer *buffer, size_t at, char c);
void buffer_set_length(struct string_buffer *buffer, size_t length); /* new characters are spaces */
void buffer_reserve(struct string_buffer *buffer, size_t room);
void buffer_compact(struct string_buffer *buffer);
void buffer_reverse(struct string_buffer *buffer);
void buffer_upper(struct string_buffer *buffer);
void buffer_lower(struct string_buffer *buffer);
void buffer_trim_end(struct string_buffer *buffer); /* takes spaces away */

size_t buffer_index_of(struct string_buffer *buffer, const char *text, size_t from);
size_t buffer_last_index_of(struct string_buffer *buffer, const char *text);
size_t buffer_count(struct string_buffer *buffer, char c);
int buffer_starts_with(struct string_buffer *buffer, const char *text);
int buffer_ends_with(struct string_buffer *buffer, const char *text);
int buffer_equals(struct string_buffer *buffer, const char *text);
int buffer_compare(struct string_buffer *buffer, const char *text);

#endif
