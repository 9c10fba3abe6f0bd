/*
 * The lexer, for the parser, the formatter and the checks; and texts that are composed in an array. The lexer never looks
 * beyond the current token, because the next one may follow other rules: a thread (a glob), the target of `lock:`, an
 * occurrence.
 */
#ifndef SL_SCHEDULE_LEX_H
#define SL_SCHEDULE_LEX_H

#include "base/text.h"
#include "schedule/schedule.h"

enum sl_token {
	SL_TOKEN_END,
	SL_TOKEN_WRONG, /* an error, with a complaint */
	SL_TOKEN_OTHER, /* a character without a meaning here */
	SL_TOKEN_NAME,
	SL_TOKEN_STRING,
	SL_TOKEN_THREAD,
	SL_TOKEN_TARGET,
	SL_TOKEN_NUMBER,
	SL_TOKEN_EVERY, /* the * of #* */
	SL_TOKEN_ARROW,
	SL_TOKEN_COMMA,
	SL_TOKEN_OPEN,
	SL_TOKEN_CLOSE,
	SL_TOKEN_BRACKET,
	SL_TOKEN_CLOSE_BRACKET,
	SL_TOKEN_BRACE,
	SL_TOKEN_CLOSE_BRACE,
	SL_TOKEN_AT,
	SL_TOKEN_HASH,
	SL_TOKEN_COLON,
	SL_TOKEN_AND,
	SL_TOKEN_OR,
	SL_TOKEN_NOT,
	SL_TOKEN_IMPLIES,
	SL_TOKEN_IFF,
};

struct sl_lexer {
	const char *text;
	size_t length;
	struct sl_spot at; /* of the next character to read */
	/* the current token */
	enum sl_token token;
	struct sl_spot from, to;
	uint32_t number;
	struct sl_complaint *complaint;
	/* where a comment is; for the formatter */
	void (*comment)(void *data, struct sl_spot from, struct sl_spot to);
	void *data;
};

void sl_lex_start(struct sl_lexer *lexer, const char *text, size_t length, struct sl_complaint *complaint);
/* The next token by the usual rules; and by the rules after @, after `lock:` or in { }, and after #. */
void sl_lex_next(struct sl_lexer *lexer);
void sl_lex_thread(struct sl_lexer *lexer);
void sl_lex_target(struct sl_lexer *lexer);
void sl_lex_occurrence(struct sl_lexer *lexer);

bool sl_lex_is(const struct sl_lexer *lexer, const char *word);
/* Returns whether this is a whole name, thread or target by the rules above, so that no quotes are needed. */
bool sl_lex_whole(const char *text, enum sl_token token);

/* ---- texts ---- */

struct sl_out {
	char *to;
	size_t room, length; /* the length may exceed the room */
};

void sl_put(struct sl_out *out, const char *text);
void sl_put_bytes(struct sl_out *out, const char *bytes, size_t length);
void sl_put_number(struct sl_out *out, uint64_t number);
void sl_put_quoted(struct sl_out *out, const char *text);
size_t sl_put_end(struct sl_out *out);

/* Composes the complaint of the parts up to NULL; returns false. */
bool sl_complain(struct sl_complaint *complaint, struct sl_spot place, ...) __attribute__((sentinel));

#endif
