/*
 * Words of a schedule's text.
 */
#include "schedule/lex.h"

#include "base/utf8.h"

#include <stdarg.h>

/* ---- texts ---- */

void
sl_put_bytes(struct sl_out *out, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++, out->length++)
		if (out->length + 1 < out->room)
			out->to[out->length] = bytes[i];
}

void
sl_put(struct sl_out *out, const char *text)
{
	sl_put_bytes(out, text, sl_text_length(text));
}

void
sl_put_number(struct sl_out *out, uint64_t number)
{
	char digits[SL_DIGITS];

	sl_put(out, sl_digits(number, digits));
}

void
sl_put_quoted(struct sl_out *out, const char *text)
{
	sl_put(out, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sl_put(out, "\\");
		sl_put_bytes(out, text, 1);
	}
	sl_put(out, "\"");
}

size_t
sl_put_end(struct sl_out *out)
{
	if (out->room)
		out->to[out->length < out->room ? out->length : out->room - 1] = '\0';
	return out->length;
}

bool
sl_complain(struct sl_complaint *complaint, struct sl_spot place, ...)
{
	struct sl_out out = {complaint->text, sizeof(complaint->text), 0};
	const char *part;
	va_list parts;

	complaint->place = place;
	va_start(parts, place);
	while ((part = va_arg(parts, const char *)))
		sl_put(&out, part);
	va_end(parts);
	sl_put_end(&out);
	return false;
}

/* ---- characters ---- */

static char
peek(const struct sl_lexer *lexer, size_t ahead)
{
	size_t at = lexer->at.offset + ahead;

	return at < lexer->length ? lexer->text[at] : '\0';
}

/* One character, of any number of bytes. */
static void
skip(struct sl_lexer *lexer)
{
	size_t bytes;

	if (lexer->at.offset >= lexer->length)
		return;
	if (lexer->text[lexer->at.offset] == '\n') {
		lexer->at.offset++;
		lexer->at.line++;
		lexer->at.column = 1;
		return;
	}
	bytes = sl_utf8_length(lexer->text + lexer->at.offset, lexer->length - lexer->at.offset);
	lexer->at.offset += bytes ? (uint32_t)bytes : 1;
	lexer->at.column++;
}

/* Letters of any language: every character outside of ASCII counts as a letter. */
static bool
is_letter(const char *text, size_t left)
{
	char c = left ? *text : '\0';

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       ((unsigned char)c >= 0x80 && sl_utf8_length(text, left));
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
letter_at(const struct sl_lexer *lexer, size_t ahead)
{
	size_t at = lexer->at.offset + ahead;

	return at < lexer->length && is_letter(lexer->text + at, lexer->length - at);
}

static bool
word_at(const struct sl_lexer *lexer, size_t ahead)
{
	return letter_at(lexer, ahead) || is_digit(peek(lexer, ahead));
}

static void
skip_word(struct sl_lexer *lexer)
{
	while (word_at(lexer, 0))
		skip(lexer);
}

/* ---- tokens ---- */

void
sl_lex_start(struct sl_lexer *lexer, const char *text, size_t length, struct sl_complaint *complaint)
{
	*lexer = (struct sl_lexer){.text = text, .length = length, .at = {0, 1, 1}, .complaint = complaint};
	lexer->from = lexer->to = lexer->at;
}

static void
wrong(struct sl_lexer *lexer)
{
	lexer->token = SL_TOKEN_WRONG;
	lexer->to = lexer->at;
}

/* After these a # says which occurrence, or is wrong; elsewhere it begins a comment. */
static bool
ends_atom(enum sl_token token)
{
	return token == SL_TOKEN_NAME || token == SL_TOKEN_STRING || token == SL_TOKEN_THREAD ||
	       token == SL_TOKEN_TARGET || token == SL_TOKEN_NUMBER || token == SL_TOKEN_EVERY ||
	       token == SL_TOKEN_CLOSE_BRACE || token == SL_TOKEN_CLOSE_BRACKET || token == SL_TOKEN_CLOSE;
}

/* Skips blanks, and a comment if there is one. */
static bool
skip_comment(struct sl_lexer *lexer, struct sl_spot *from, struct sl_spot *to)
{
	while (peek(lexer, 0) == ' ' || peek(lexer, 0) == '\t' || peek(lexer, 0) == '\n' || peek(lexer, 0) == '\r')
		skip(lexer);
	*from = lexer->at;
	if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
		skip(lexer);
		skip(lexer);
		while (!(peek(lexer, 0) == '*' && peek(lexer, 1) == '/')) {
			if (lexer->at.offset >= lexer->length) {
				lexer->from = *from;
				wrong(lexer);
				sl_complain(lexer->complaint, *from, "this comment does not end: expected `*/`",
					    NULL);
				return false;
			}
			skip(lexer);
		}
		skip(lexer);
		skip(lexer);
	} else if (peek(lexer, 0) == '#' || (peek(lexer, 0) == '/' && peek(lexer, 1) == '/')) {
		/* a#2 */
		if (peek(lexer, 0) == '#' && ends_atom(lexer->token) && lexer->at.offset == lexer->to.offset)
			return false;
		/* a #2: either is possible, so neither is guessed */
		if (peek(lexer, 0) == '#' && ends_atom(lexer->token) && lexer->at.line == lexer->to.line &&
		    (is_digit(peek(lexer, 1)) || peek(lexer, 1) == '*')) {
			lexer->from = lexer->at;
			wrong(lexer);
			sl_complain(lexer->complaint, lexer->at,
				    "a blank before `#`: an occurrence is written without one (`add#2`), "
				    "a comment with one after it (`# 2`)",
				    NULL);
			return false;
		}
		while (lexer->at.offset < lexer->length && peek(lexer, 0) != '\n')
			skip(lexer);
	} else {
		return false;
	}
	*to = lexer->at;
	return true;
}

/* Goes to the next token; returns false if there was an error before it. */
static bool
skip_blanks(struct sl_lexer *lexer)
{
	struct sl_spot from, to;
	enum sl_token before = lexer->token;

	while (skip_comment(lexer, &from, &to))
		if (lexer->comment)
			lexer->comment(lexer->data, from, to);
	if (lexer->token == SL_TOKEN_WRONG && before != SL_TOKEN_WRONG)
		return false;
	lexer->from = lexer->at;
	return true;
}

static void
finish(struct sl_lexer *lexer, enum sl_token token)
{
	lexer->token = token;
	lexer->to = lexer->at;
}

static void
lex_string(struct sl_lexer *lexer)
{
	skip(lexer);
	while (peek(lexer, 0) != '"' || lexer->at.offset >= lexer->length) {
		const char *at = lexer->text + lexer->at.offset;
		size_t left = lexer->length - lexer->at.offset;

		if (!left || *at == '\n' || !*at) {
			wrong(lexer);
			sl_complain(lexer->complaint, lexer->from,
				    "this text does not end on its line: expected `\"`", NULL);
			return;
		}
		if (!sl_utf8_length(at, left)) {
			wrong(lexer);
			sl_complain(lexer->complaint, lexer->at, "this is not UTF-8", NULL);
			return;
		}
		if (*at == '\\' && peek(lexer, 1) != '"' && peek(lexer, 1) != '\\') {
			wrong(lexer);
			sl_complain(lexer->complaint, lexer->at, "after `\\` in a text: expected `\"` or `\\`",
				    NULL);
			return;
		}
		if (*at == '\\')
			skip(lexer);
		skip(lexer);
	}
	skip(lexer);
	finish(lexer, SL_TOKEN_STRING);
	if (lexer->to.offset - lexer->from.offset == 2) {
		wrong(lexer);
		sl_complain(lexer->complaint, lexer->from, "an empty name", NULL);
	}
}

static bool
lex_number(struct sl_lexer *lexer)
{
	uint64_t number = 0;

	for (; is_digit(peek(lexer, 0)); skip(lexer))
		if (number < SL_EVERY)
			number = number * 10 + (uint64_t)(peek(lexer, 0) - '0');
	finish(lexer, SL_TOKEN_NUMBER);
	if (number >= SL_EVERY) {
		wrong(lexer);
		return sl_complain(lexer->complaint, lexer->from, "this number is too large", NULL);
	}
	lexer->number = (uint32_t)number;
	return true;
}

/* id { ("." | "::" | "/") id }: names of events and files */
static void
lex_name(struct sl_lexer *lexer)
{
	for (;;) {
		skip_word(lexer);
		if ((peek(lexer, 0) == '.' || peek(lexer, 0) == '/') && word_at(lexer, 1)) {
			skip(lexer);
		} else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && word_at(lexer, 2)) {
			skip(lexer);
			skip(lexer);
		} else {
			break;
		}
	}
	finish(lexer, SL_TOKEN_NAME);
}

static const struct {
	char text[4];
	enum sl_token token;
} signs[] = {
	{"<=>", SL_TOKEN_IFF},    {"->", SL_TOKEN_ARROW},
	{"=>", SL_TOKEN_IMPLIES}, {"&&", SL_TOKEN_AND},
	{"||", SL_TOKEN_OR},      {",", SL_TOKEN_COMMA},
	{"(", SL_TOKEN_OPEN},     {")", SL_TOKEN_CLOSE},
	{"[", SL_TOKEN_BRACKET},  {"]", SL_TOKEN_CLOSE_BRACKET},
	{"{", SL_TOKEN_BRACE},    {"}", SL_TOKEN_CLOSE_BRACE},
	{"@", SL_TOKEN_AT},       {"#", SL_TOKEN_HASH},
	{":", SL_TOKEN_COLON},    {"!", SL_TOKEN_NOT},
};

void
sl_lex_next(struct sl_lexer *lexer)
{
	size_t left;

	if (lexer->token == SL_TOKEN_WRONG || !skip_blanks(lexer))
		return;
	left = lexer->length - lexer->at.offset;
	if (!left) {
		finish(lexer, SL_TOKEN_END);
		return;
	}
	if (letter_at(lexer, 0)) {
		lex_name(lexer);
		return;
	}
	if (is_digit(peek(lexer, 0))) {
		lex_number(lexer);
		return;
	}
	if (peek(lexer, 0) == '"') {
		lex_string(lexer);
		return;
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t n = 0;

		while (signs[i].text[n] && signs[i].text[n] == peek(lexer, n))
			n++;
		if (signs[i].text[n])
			continue;
		while (n--)
			skip(lexer);
		finish(lexer, signs[i].token);
		return;
	}
	if (!sl_utf8_length(lexer->text + lexer->at.offset, left)) {
		wrong(lexer);
		sl_complain(lexer->complaint, lexer->from, "this is not UTF-8", NULL);
		return;
	}
	skip(lexer);
	finish(lexer, SL_TOKEN_OTHER);
}

static bool
glob_at(const struct sl_lexer *lexer)
{
	char c = peek(lexer, 0);

	return (word_at(lexer, 0) && c != '$') || c == '*' || c == '?' || c == '.' ||
	       (c == '-' && peek(lexer, 1) != '>');
}

void
sl_lex_thread(struct sl_lexer *lexer)
{
	if (lexer->token == SL_TOKEN_WRONG || !skip_blanks(lexer))
		return;
	if (!glob_at(lexer)) {
		sl_lex_next(lexer);
		return;
	}
	while (glob_at(lexer))
		skip(lexer);
	finish(lexer, SL_TOKEN_THREAD);
}

/* Names of C and C++: q->lock, table.locks[3], Queue::push, Queue::~Queue. An arrow with blanks does not belong to them. */
void
sl_lex_target(struct sl_lexer *lexer)
{
	if (lexer->token == SL_TOKEN_WRONG || !skip_blanks(lexer))
		return;
	if (!letter_at(lexer, 0)) {
		sl_lex_next(lexer);
		return;
	}
	for (;;) {
		size_t digits = 1;

		skip_word(lexer);
		while (peek(lexer, 0) == '[' && is_digit(peek(lexer, digits)))
			digits++;
		if (digits > 1 && peek(lexer, digits) == ']') {
			for (; digits + 1; digits--)
				skip(lexer);
			continue;
		}
		if (peek(lexer, 0) == '.' && letter_at(lexer, 1)) {
			skip(lexer);
		} else if (peek(lexer, 0) == '-' && peek(lexer, 1) == '>' && letter_at(lexer, 2)) {
			skip(lexer);
			skip(lexer);
		} else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' &&
			   (letter_at(lexer, 2) || (peek(lexer, 2) == '~' && letter_at(lexer, 3)))) {
			skip(lexer);
			skip(lexer);
			if (peek(lexer, 0) == '~')
				skip(lexer);
		} else {
			break;
		}
	}
	finish(lexer, SL_TOKEN_TARGET);
}

void
sl_lex_occurrence(struct sl_lexer *lexer)
{
	if (lexer->token == SL_TOKEN_WRONG)
		return;
	lexer->from = lexer->at;
	if (peek(lexer, 0) == '*') {
		skip(lexer);
		finish(lexer, SL_TOKEN_EVERY);
	} else if (is_digit(peek(lexer, 0))) {
		lex_number(lexer);
	} else {
		sl_lex_next(lexer);
		if (lexer->token == SL_TOKEN_NUMBER)
			lexer->token = SL_TOKEN_OTHER; /* after a blank, so it is not an occurrence */
	}
}

bool
sl_lex_is(const struct sl_lexer *lexer, const char *word)
{
	size_t i = 0;

	for (; word[i]; i++)
		if (lexer->from.offset + i >= lexer->to.offset || lexer->text[lexer->from.offset + i] != word[i])
			return false;
	return lexer->from.offset + i == lexer->to.offset;
}

bool
sl_lex_whole(const char *text, enum sl_token token)
{
	struct sl_complaint complaint;
	struct sl_lexer lexer;

	sl_lex_start(&lexer, text, sl_text_length(text), &complaint);
	if (token == SL_TOKEN_THREAD)
		sl_lex_thread(&lexer);
	else if (token == SL_TOKEN_TARGET)
		sl_lex_target(&lexer);
	else
		sl_lex_next(&lexer);
	return lexer.token == token && lexer.from.offset == 0 && lexer.to.offset == lexer.length;
}
