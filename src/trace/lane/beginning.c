#include "trace/lane/beginning.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t
word(const struct sl_beginning *b, uint64_t number)
{
	uint64_t value;

	memcpy(&value, b->bytes + number * sizeof(value), sizeof(value));
	return value;
}

/* The string that begins at this address; NULL: there is none in the part that was kept. */
static const char *
string_at(const struct sl_beginning *b, uint64_t address, uint64_t kept)
{
	uint64_t offset = address - b->low;

	if (address < b->low || offset >= kept || !memchr(b->bytes + offset, 0, kept - offset))
		return NULL;
	return b->bytes + offset;
}

/* Names a pointer: "argv[1]", "environ[\"HOME\"]"; false: it is one of the words after the environment. */
static bool
name_pointer(const struct sl_beginning *b, uint64_t number, uint64_t arguments, uint64_t kept, char *text,
	     size_t room)
{
	uint64_t value = word(b, number);
	const char *string;

	if (number <= arguments + 1) {
		snprintf(text, room, "argv[%" PRIu64 "]", number - 1);
		return true;
	}
	string = value ? string_at(b, value, kept) : NULL;
	if (value && !string)
		return false;
	if (string)
		snprintf(text, room, "environ[\"%.*s\"]", (int)strcspn(string, "="), string);
	else
		snprintf(text, room, "the end of environ");
	return true;
}

bool
sl_beginning_covers(const struct sl_beginning *b, uint64_t address)
{
	return address - b->low < b->size || b->thread - address - 1 < b->local;
}

/* The strings are those of the command, at any address; random bytes and padding are between them. */
bool
sl_beginning_is_same(const struct sl_beginning *one, const struct sl_beginning *other)
{
	uint64_t words = (one->size < sizeof(one->bytes) ? one->size : sizeof(one->bytes)) / sizeof(uint64_t);

	if (one->low != other->low || one->size != other->size || one->thread != other->thread ||
	    one->local != other->local)
		return false;
	for (uint64_t number = 0, ends = 0; number < words && ends < 2; number++) {
		if (word(one, number) != word(other, number))
			return false;
		ends += number && !word(one, number); /* after the arguments, after the environment */
	}
	return true;
}

bool
sl_beginning_name(const struct sl_beginning *b, uint64_t address, char *text, size_t room)
{
	uint64_t offset = address - b->low, kept = b->size < sizeof(b->bytes) ? b->size : sizeof(b->bytes);
	uint64_t words = kept / sizeof(uint64_t), arguments = words ? word(b, 0) : 0, number;
	char name[256];

	if (b->thread - address - 1 < b->local) {
		snprintf(text, room, "thread-local of 0, -%" PRIu64, b->thread - address);
		return true;
	}
	if (address < b->low || offset >= b->size)
		return false;
	snprintf(text, room, "stack of 0, +%" PRIu64, offset);
	if (offset < sizeof(uint64_t)) {
		snprintf(text, room, "argc");
		return true;
	}
	for (number = 1; number < words && name_pointer(b, number, arguments, kept, name, sizeof(name));
	     number++) {
		const char *string = string_at(b, word(b, number), kept);
		uint64_t at = offset - number * sizeof(uint64_t),
			 in = string ? offset - (uint64_t)(string - b->bytes) : 0;

		if (at < sizeof(uint64_t)) {
			snprintf(text, room, at ? "%s+%" PRIu64 : "%s", name, at);
			return true;
		}
		if (string && in <= strlen(string)) {
			snprintf(text, room, "%s[%" PRIu64 "]", name, in);
			return true;
		}
	}
	if (offset - number * sizeof(uint64_t) < 64 * sizeof(uint64_t)) /* pairs of words for the dynamic linker */
		snprintf(text, room, "auxv+%" PRIu64, offset - number * sizeof(uint64_t));
	return true;
}
