#include "base/op_words.h"

#include "base/op.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *word, *verb;
} kinds[SL_OP_KIND_COUNT] = {
#define SL_OP(name, verb, flags, traits, event) [SL_##name] = {#name, verb},
#include "base/op.def"
};

const char *
sl_op_word(unsigned kind)
{
	return kind < SL_OP_KIND_COUNT ? kinds[kind].word : NULL;
}

const char *
sl_op_verb(unsigned kind)
{
	return kind < SL_OP_KIND_COUNT ? kinds[kind].verb : NULL;
}

int
sl_op_find(const char *word)
{
	for (int kind = 0; kind < SL_OP_KIND_COUNT; kind++)
		if (!strcmp(kinds[kind].word, word))
			return kind;
	return -1;
}
