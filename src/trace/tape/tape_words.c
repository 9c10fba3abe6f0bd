/* The words of kinds: files have words, so that numbers may change. */
#include "base/op_words.h"
#include "trace/tape/tape.h"

#include <string.h>

/* Kinds that are not operations. */
static const char *const more[] = {
	[SL_ITEM_CALL - SL_ITEM_CALL] = "CALL",
	[SL_ITEM_RETURN - SL_ITEM_CALL] = "RETURN",
	[SL_ITEM_BRANCH - SL_ITEM_CALL] = "BRANCH",
	[SL_ITEM_REQUEST - SL_ITEM_CALL] = "REQUEST",
};

_Static_assert((int)SL_OP_KIND_COUNT <= (int)SL_ITEM_CALL, "operations have the numbers below");
_Static_assert(SL_ITEM_KIND_END == SL_ITEM_REQUEST + 1, "a new kind has a word");

const char *
sl_kind_word(uint8_t kind)
{
	if (kind >= SL_ITEM_CALL)
		return kind < SL_ITEM_KIND_END ? more[kind - SL_ITEM_CALL] : NULL;
	return sl_op_word(kind);
}

int
sl_kind_find(const char *word)
{
	for (int i = 0; i < 256; i++) {
		const char *it = sl_kind_word((uint8_t)i);

		if (it && !strcmp(it, word))
			return i;
	}
	return -1;
}
