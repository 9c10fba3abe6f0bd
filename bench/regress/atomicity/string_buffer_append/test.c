/*
 * Threads edit one buffer, and append it to buffers of their own.
 */
#include "string_buffer.h"

#include <assert.h>

#define ROUNDS 3

static struct string_buffer *shared;

/* What it adds behind the first word it takes away again. */
static void *
edit(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		buffer_append(shared, ", then more");
		buffer_append_char(shared, '!');
		buffer_append_number(shared, 42);
		buffer_set_char(shared, 0, 'b');
		assert(buffer_index_of(shared, "more", 0) == 15 && buffer_ends_with(shared, "42"));
		buffer_replace(shared, 10, 14, "less");
		buffer_insert(shared, 8, " some");
		buffer_delete_char(shared, 8);
		buffer_delete(shared, 8, 100);
		buffer_compact(shared);
		buffer_reserve(shared, 40);
		buffer_lower(shared);
	}
	return arg;
}

static void *
look(void *arg)
{
	char word[9];

	for (int i = 0; i < ROUNDS; i++) {
		buffer_get_chars(shared, 0, 8, word);
		assert(word[7] == 'g' && buffer_char_at(shared, 3) == 'i');
		assert(buffer_starts_with(shared, "begin") && buffer_last_index_of(shared, "begin") == 0);
		assert(buffer_count(shared, 'b') == 1 && !buffer_equals(shared, "begin"));
		assert(buffer_length(shared) >= 8 && buffer_room(shared) >= 8 && !buffer_is_empty(shared));
		assert(buffer_compare(shared, "beginner") < 0 && buffer_edits(shared) && buffer_hash(shared));
		assert(buffer_copy(shared, word, sizeof(word)) >= 8);
	}
	return arg;
}

static void
collect(void)
{
	struct string_buffer *all = buffer_new("");

	for (int i = 0; i < ROUNDS; i++)
		buffer_append_buffer(all, shared);
	assert(buffer_length(all) >= 8 * ROUNDS);
	buffer_free(all);
}

int
main(void)
{
	pthread_t editor, looker;

	shared = buffer_new("begining");
	pthread_create(&looker, NULL, look, NULL);
	pthread_create(&editor, NULL, edit, NULL);
	collect();
	pthread_join(looker, NULL);
	pthread_join(editor, NULL);
	assert(buffer_equals(shared, "begining"));
	buffer_free(shared);
	return 0;
}
