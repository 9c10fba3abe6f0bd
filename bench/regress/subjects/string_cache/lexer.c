#include "lexer.h"

#include <ctype.h>
#include <string.h>

/* Blanks, and comments from # to the end of the line. */
static void
skip_blanks(struct lexer *lexer)
{
	for (;; lexer->next++) {
		if (*lexer->next == '#')
			lexer->next += strcspn(lexer->next, "\n");
		if (!isspace((unsigned char)*lexer->next))
			return;
		lexer->line += *lexer->next == '\n';
	}
}

static int
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
scan_name(struct lexer *lexer)
{
	const char *start = lexer->next;
	struct string *name;

	while (is_name(*lexer->next))
		lexer->next++;
	name = cache_intern(lexer->cache, start, (size_t)(lexer->next - start));
	lexer->token.kind = TOKEN_NAME;
	if (name == lexer->keywords->let)
		lexer->token.kind = TOKEN_LET;
	else if (name == lexer->keywords->return_)
		lexer->token.kind = TOKEN_RETURN;
	if (lexer->token.kind == TOKEN_NAME)
		lexer->token.name = name;
	else
		cache_release(lexer->cache, name);
}

static void
scan_number(struct lexer *lexer)
{
	long number = 0;

	for (; isdigit((unsigned char)*lexer->next); lexer->next++)
		number = 10 * number + *lexer->next - '0';
	lexer->token.kind = is_name(*lexer->next) ? TOKEN_BAD : TOKEN_NUMBER;
	lexer->token.number = number;
}

static void
drop_name(struct lexer *lexer)
{
	if (lexer->token.name)
		cache_release(lexer->cache, lexer->token.name);
	lexer->token.name = NULL;
}

void
lexer_advance(struct lexer *lexer)
{
	drop_name(lexer);
	skip_blanks(lexer);
	lexer->token = (struct token){.line = lexer->line};
	if (!*lexer->next)
		return;
	if (isdigit((unsigned char)*lexer->next)) {
		scan_number(lexer);
	} else if (is_name(*lexer->next)) {
		scan_name(lexer);
	} else {
		lexer->token.kind = strchr("+-*/=;(){}", *lexer->next) ? TOKEN_SIGN : TOKEN_BAD;
		lexer->token.sign = *lexer->next++;
	}
}

void
keywords_init(struct keywords *keywords, struct cache *cache)
{
	keywords->let = cache_intern_text(cache, "let");
	keywords->return_ = cache_intern_text(cache, "return");
}

void
keywords_release(struct keywords *keywords, struct cache *cache)
{
	cache_release(cache, keywords->let);
	cache_release(cache, keywords->return_);
}

void
lexer_init(struct lexer *lexer, struct cache *cache, const struct keywords *keywords, const char *text)
{
	*lexer = (struct lexer){.cache = cache, .keywords = keywords, .next = text, .line = 1};
	lexer_advance(lexer);
}

void
lexer_release(struct lexer *lexer)
{
	drop_name(lexer);
}

int
lexer_is_sign(const struct lexer *lexer, char sign)
{
	return lexer->token.kind == TOKEN_SIGN && lexer->token.sign == sign;
}

const char *
token_kind_text(enum token_kind kind)
{
	static const char *const words[] = {
		[TOKEN_END] = "the end",
		[TOKEN_NAME] = "a name",
		[TOKEN_NUMBER] = "a number",
		[TOKEN_LET] = "let",
		[TOKEN_RETURN] = "return",
		[TOKEN_SIGN] = "a sign",
		[TOKEN_BAD] = "a character that has no meaning",
	};

	return words[kind];
}
