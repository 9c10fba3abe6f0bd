/*
 * The words of a script. Names are strings of the cache, so that they can be compared by their addresses.
 */
#ifndef LEXER_H
#define LEXER_H

#include "cache.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_LET, TOKEN_RETURN, TOKEN_SIGN, TOKEN_BAD };

struct token {
	enum token_kind kind;
	struct string *name; /* TOKEN_NAME: a reference, which the lexer has until the next token */
	long number;         /* TOKEN_NUMBER */
	char sign;           /* TOKEN_SIGN: one of + - * / = ; ( ) { } */
	unsigned line;
};

/* Made once for all scripts that use a cache. */
struct keywords {
	struct string *let, *return_;
};

struct lexer {
	struct cache *cache;
	const struct keywords *keywords;
	const char *next;
	unsigned line;
	struct token token; /* the current one */
};

void keywords_init(struct keywords *keywords, struct cache *cache);
void keywords_release(struct keywords *keywords, struct cache *cache);

/* At the first token. */
void lexer_init(struct lexer *lexer, struct cache *cache, const struct keywords *keywords, const char *text);
void lexer_release(struct lexer *lexer);
void lexer_advance(struct lexer *lexer);
int lexer_is_sign(const struct lexer *lexer, char sign);
const char *token_kind_text(enum token_kind kind);

#endif
