/*
 * Kinds of items by their words: files have these, numbers may change.
 */
#include "trace/tape/tape.h"

#include <string.h>

static const struct {
	const char *word, *verb;
} kinds[256] = {
#define X(name, verb, flags) [SL_##name] = {#name, verb},
	SL_OP_KINDS(X)
#undef X
		[SL_ITEM_CALL] = {"CALL", "calls"},
	[SL_ITEM_RETURN] = {"RETURN", "returns"},
	[SL_ITEM_BRANCH] = {"BRANCH", "goes to"},
	[SL_ITEM_REQUEST] = {"REQUEST", "wants"},
};

_Static_assert((int)SL_OP_KIND_COUNT <= (int)SL_ITEM_CALL, "operations have the numbers below");
_Static_assert(SL_ITEM_KIND_END == SL_ITEM_REQUEST + 1, "a new kind has a word");

const char *
sl_kind_word(uint8_t kind)
{
	return kinds[kind].word;
}

const char *
sl_kind_verb(uint8_t kind)
{
	return kinds[kind].verb;
}

int
sl_kind_find(const char *word)
{
	for (int i = 0; i < 256; i++)
		if (kinds[i].word && !strcmp(kinds[i].word, word))
			return i;
	return -1;
}
