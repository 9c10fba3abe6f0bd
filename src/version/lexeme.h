/*
 * The tokens of a C or C++ source, for comparing two versions of it, without comments and white space. Line
 * splices are undone, and text between `#if 0` and its end has no tokens. Any text has tokens: what the compilers
 * would refuse is accepted here. For unit.c and align.c.
 */
#ifndef SL_VERSION_LEXEME_H
#define SL_VERSION_LEXEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_lexeme_kind {
	SL_LEXEME_NAME, /* keywords, too */
	SL_LEXEME_NUMBER,
	SL_LEXEME_STRING, /* with its prefix and its quotes; the name of a header in #include, too */
	SL_LEXEME_CHARACTER,
	SL_LEXEME_SIGN,
	SL_LEXEME_DIRECTIVE, /* the # that begins a line */
	SL_LEXEME_END,       /* of that line; it has no text */
};

struct sl_lexeme {
	const char *text; /* without splices; not ended by a zero */
	size_t length;
	uint64_t hash; /* of the kind and the text */
	uint32_t line, last_line;
	uint8_t kind;
};

struct sl_lexemes {
	struct sl_lexeme *items;
	size_t count, capacity;
	uint32_t lines; /* the number of lines of the text */
	char **cleaned; /* texts that had splices in them */
	size_t cleaned_count, cleaned_capacity;
};

/* The text must live as long as the tokens. */
void sl_lexemes_init(struct sl_lexemes *lexemes, const char *text, size_t size);
void sl_lexemes_release(struct sl_lexemes *lexemes);

bool sl_lexeme_is(const struct sl_lexeme *lexeme, const char *text);
/* Returns whether the token is one of these words, which blanks separate. */
bool sl_lexeme_among(const struct sl_lexeme *lexeme, const char *words);

#endif
