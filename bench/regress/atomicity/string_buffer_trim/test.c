/*
 * Two threads write words, another one takes spaces at the end away: each word is there in the end.
 */
#include "string_buffer.h"

#include <assert.h>

#define ROUNDS 4

static struct string_buffer *shared;

static void *
write_words(void *arg)
{
	char text[100];

	for (int i = 0; i < ROUNDS; i++) {
		buffer_append(shared, " word");
		buffer_append_char(shared, ' ');
		assert(buffer_count(shared, 'w') >= (size_t)i + 1 && buffer_starts_with(shared, "list:"));
		assert(buffer_length(shared) >= 5 && buffer_room(shared) >= 5 && !buffer_is_empty(shared));
		assert(buffer_copy(shared, text, sizeof(text)) &&
		       buffer_last_index_of(shared, "word") != NOT_FOUND);
		buffer_append_number(shared, i);
		buffer_reserve(shared, 60);
		buffer_set_char(shared, 4, ':');
		assert(buffer_edits(shared) && buffer_compare(shared, "a") > 0 && buffer_hash(shared));
		assert(buffer_index_of(shared, "list", 0) == 0 && !buffer_equals(shared, "list:"));
		buffer_replace(shared, 0, 4, "list");
		buffer_insert(shared, 0, "the ");
		buffer_delete(shared, 0, 4);
		assert(buffer_char_at(shared, 0) && !buffer_ends_with(shared, "end"));
		buffer_lower(shared);
	}
	return arg;
}

static void *
trim(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		buffer_append(shared, "   ");
		buffer_trim_end(shared);
	}
	return arg;
}

int
main(void)
{
	pthread_t writer, trimmer;

	shared = buffer_new("list:");
	pthread_create(&writer, NULL, write_words, NULL);
	pthread_create(&trimmer, NULL, trim, NULL);
	pthread_join(writer, NULL);
	pthread_join(trimmer, NULL);
	assert(buffer_count(shared, 'w') == ROUNDS && buffer_count(shared, 'd') == ROUNDS);
	assert(buffer_count(shared, '0') == 1 && buffer_count(shared, '3') == 1);
	buffer_free(shared);
	return 0;
}
