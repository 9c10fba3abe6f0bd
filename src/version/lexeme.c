#include "version/lexeme.h"

#include "base/rng.h"
#include "base/room.h"

#include <string.h>

struct reader {
	const char *text;
	size_t size, at;
	uint32_t line;
	bool fresh; /* the line has had nothing but white space and comments so far */
	bool directive; /* in the line of a directive */
	bool header; /* after #include */
	bool dead; /* after #if 0 */
	unsigned nest; /* of conditionals after that #if 0 */
	struct sl_lexemes *out;
};

/* Returns the length of a line splice there; 0: there is none. */
static size_t
splice(const struct reader *r, size_t at)
{
	if (at + 1 >= r->size || r->text[at] != '\\')
		return 0;
	if (r->text[at + 1] == '\n')
		return 2;
	return at + 2 < r->size && r->text[at + 1] == '\r' && r->text[at + 2] == '\n' ? 3 : 0;
}

static size_t
behind_splices(const struct reader *r, size_t at)
{
	for (size_t length; (length = splice(r, at));)
		at += length;
	return at;
}

/* Skips the splices here. */
static void
settle(struct reader *r)
{
	for (size_t length; (length = splice(r, r->at)); r->line++)
		r->at += length;
}

/* Returns the character at this distance; -1: the text has ended. */
static int
peek(const struct reader *r, unsigned ahead)
{
	size_t at = behind_splices(r, r->at);

	while (ahead-- && at < r->size)
		at = behind_splices(r, at + 1);
	return at < r->size ? (unsigned char)r->text[at] : -1;
}

static int
take(struct reader *r)
{
	settle(r);
	if (r->at >= r->size)
		return -1;
	if (r->text[r->at] == '\n')
		r->line++;
	return (unsigned char)r->text[r->at++];
}

static bool
is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static uint64_t
hash(unsigned kind, const char *text, size_t length)
{
	uint64_t h = kind + 1;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return sl_mix(h ^ length << 32);
}

/* Returns the text without its splices. */
static const char *
clean(struct reader *r, size_t from, size_t *length)
{
	struct sl_lexemes *out = r->out;
	size_t end = from + *length, n = 0;
	char *copy = sl_room_zeroed(*length, 1);

	for (size_t at = from; at < end; at++) {
		at = behind_splices(r, at);
		if (at < end)
			copy[n++] = r->text[at];
	}
	out->cleaned =
		sl_room_for(out->cleaned, out->cleaned_count, &out->cleaned_capacity, sizeof(*out->cleaned));
	out->cleaned[out->cleaned_count++] = copy;
	*length = n;
	return copy;
}

static struct sl_lexeme *
add(struct reader *r, enum sl_lexeme_kind kind, size_t from, uint32_t line, bool raw)
{
	struct sl_lexemes *out = r->out;
	size_t length = r->at - from;
	const char *text = r->text + from;
	struct sl_lexeme *item;

	if (!raw && memchr(text, '\\', length))
		for (size_t i = 0; i < length; i++)
			if (splice(r, from + i)) {
				text = clean(r, from, &length);
				break;
			}
	out->items = sl_room_for(out->items, out->count, &out->capacity, sizeof(*out->items));
	item = &out->items[out->count++];
	*item = (struct sl_lexeme){text, length, hash(kind, text, length), line, r->line, (uint8_t)kind};
	return item;
}

static void
skip_comment(struct reader *r)
{
	bool block = peek(r, 1) == '*';
	int c;

	take(r);
	take(r);
	if (!block) {
		while ((c = peek(r, 0)) != -1 && c != '\n')
			take(r);
		return;
	}
	while ((c = take(r)) != -1)
		if (c == '*' && peek(r, 0) == '/') {
			take(r);
			return;
		}
}

/*
 * Takes everything up to the quote. The end of the line ends it, too: an apostrophe in an #error begins no string.
 */
static void
take_quoted(struct reader *r, int quote)
{
	int c;

	take(r);
	while ((c = peek(r, 0)) != -1 && c != '\n') {
		take(r);
		if (c == quote)
			return;
		if (c == '\\' && peek(r, 0) != -1 && peek(r, 0) != '\n')
			take(r);
	}
}

/* R"delimiter( … )delimiter": splices and escapes have no meaning in it. */
static void
take_raw(struct reader *r)
{
	char end[20] = ")";
	size_t n = 1, at = r->at + 1;

	while (at < r->size && r->text[at] != '(' && n < sizeof(end) - 2)
		end[n++] = r->text[at++];
	if (at >= r->size || r->text[at] != '(') { /* not a raw string */
		take_quoted(r, '"');
		return;
	}
	end[n++] = '"';
	for (; at < r->size; at++)
		if (r->size - at >= n && memcmp(r->text + at, end, n) == 0) {
			at += n;
			break;
		}
	for (; r->at < at; r->at++)
		r->line += r->text[r->at] == '\n';
}

static bool
is_one_of(const char *text, size_t length, const char *words)
{
	for (const char *word = words; *word;) {
		size_t n = strcspn(word, " ");

		if (n == length && memcmp(word, text, n) == 0)
			return true;
		word += n + (word[n] == ' ');
	}
	return false;
}

/* Takes a name, or the string or character of which it is the prefix. */
static void
take_word(struct reader *r)
{
	size_t from = r->at, length;
	uint32_t line = r->line;
	bool raw = false;
	enum sl_lexeme_kind kind = SL_LEXEME_NAME;
	int c = take(r);

	while (is_name_start(c = peek(r, 0)) || is_digit(c))
		take(r);
	length = r->at - from;
	if (c == '"' && is_one_of(r->text + from, length, "R LR uR UR u8R")) {
		take_raw(r);
		raw = true;
		kind = SL_LEXEME_STRING;
	} else if ((c == '"' || c == '\'') && is_one_of(r->text + from, length, "L u U u8")) {
		take_quoted(r, c);
		kind = c == '"' ? SL_LEXEME_STRING : SL_LEXEME_CHARACTER;
	}
	add(r, kind, from, line, raw);
}

static void
take_number(struct reader *r)
{
	size_t from = r->at;
	uint32_t line = r->line;
	int c = take(r), next;

	for (;; c = take(r)) {
		next = peek(r, 0);
		if (is_name_start(next) || is_digit(next) || next == '.')
			continue;
		if ((next == '+' || next == '-') && (c == 'e' || c == 'E' || c == 'p' || c == 'P'))
			continue;
		if (next == '\'' && (is_digit(peek(r, 1)) || is_name_start(peek(r, 1))))
			continue;
		break;
	}
	add(r, SL_LEXEME_NUMBER, from, line, false);
}

static void
take_sign(struct reader *r)
{
	static const char *const signs[] = {"->*", "<<=", ">>=", "...", "<=>", "->", "++", "--", "<<",
					    ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
					    "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "::", "##", ".*"};
	size_t from = r->at, length = 1;
	uint32_t line = r->line;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t n = 0;

		while (signs[i][n] && peek(r, (unsigned)n) == signs[i][n])
			n++;
		if (!signs[i][n]) {
			length = n;
			break;
		}
	}
	while (length--)
		take(r);
	add(r, SL_LEXEME_SIGN, from, line, false);
}

static void
take_quote(struct reader *r, int quote)
{
	size_t from = r->at;
	uint32_t line = r->line;

	take_quoted(r, quote == '<' ? '>' : quote);
	add(r, quote == '\'' ? SL_LEXEME_CHARACTER : SL_LEXEME_STRING, from, line, false);
}

/*
 * Examines the directive that has just ended; it begins at the lexeme `first`. After #if 0 nothing counts until
 * the conditional continues: the directives in between are removed again.
 */
static void
look_at_directive(struct reader *r, size_t first)
{
	struct sl_lexemes *out = r->out;
	const struct sl_lexeme *words = out->items + first;
	size_t count = out->count - first; /* the # and the end of the line are two of them */
	bool begins = count > 2 && sl_lexeme_among(&words[1], "if ifdef ifndef");

	if (!r->dead) {
		r->dead = count == 4 && sl_lexeme_is(&words[1], "if") && sl_lexeme_is(&words[2], "0");
		r->nest = 0;
		return;
	}
	if (count > 2 && r->nest == 0 && sl_lexeme_among(&words[1], "else elif elifdef elifndef endif")) {
		r->dead = false;
		return;
	}
	if (begins)
		r->nest++;
	else if (count > 2 && sl_lexeme_is(&words[1], "endif"))
		r->nest--;
	out->count = first;
}

/* Skips the rest of a line that does not count. */
static void
skip_line(struct reader *r)
{
	int c;

	while ((c = peek(r, 0)) != -1 && c != '\n') {
		if (c == '/' && (peek(r, 1) == '*' || peek(r, 1) == '/'))
			skip_comment(r);
		else if (c == '"' || c == '\'')
			take_quoted(r, c);
		else
			take(r);
	}
}

/* Returns the end of the token in the source; the text of one with splices is elsewhere. */
static size_t
behind(const struct reader *r, const struct sl_lexeme *t)
{
	return t->text >= r->text && t->text <= r->text + r->size ? (size_t)(t->text - r->text) + t->length
								  : SIZE_MAX;
}

static void
take_token(struct reader *r, int c)
{
	if (r->header && (c == '"' || c == '<'))
		take_quote(r, c);
	else if (is_name_start(c))
		take_word(r);
	else if (is_digit(c) || (c == '.' && is_digit(peek(r, 1))))
		take_number(r);
	else if (c == '"' || c == '\'')
		take_quote(r, c);
	else
		take_sign(r);
}

void
sl_lexemes_init(struct sl_lexemes *lexemes, const char *text, size_t size)
{
	struct reader reader = {.text = text, .size = size, .line = 1, .fresh = true, .out = lexemes},
		      *r = &reader;
	size_t first = 0; /* the first lexeme of the current directive */

	*lexemes = (struct sl_lexemes){0};
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r->at = 3;
	for (;;) {
		int c;

		settle(r);
		c = peek(r, 0);
		if ((c == '\n' || c == -1) && r->directive) {
			r->directive = r->header = false;
			add(r, SL_LEXEME_END, r->at, r->line, true);
			look_at_directive(r, first);
		}
		if (c == -1)
			break;
		if (c == '\n') {
			take(r);
			r->fresh = true;
		} else if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0) {
			take(r);
		} else if (c == '/' && (peek(r, 1) == '/' || peek(r, 1) == '*')) {
			skip_comment(r);
		} else if (c == '#' && r->fresh) {
			size_t from = r->at;

			first = lexemes->count;
			r->directive = true;
			r->fresh = false;
			take(r);
			add(r, SL_LEXEME_DIRECTIVE, from, r->line, true);
		} else if (r->dead && !r->directive) {
			skip_line(r);
		} else {
			bool close = lexemes->count && r->at == behind(r, &lexemes->items[lexemes->count - 1]);

			r->fresh = false;
			take_token(r, c);
			/* `#define F(x)` and `#define F (x)` differ */
			if (r->directive && lexemes->count == first + 4 && close && c == '(' &&
			    sl_lexeme_is(&lexemes->items[first + 1], "define"))
				lexemes->items[first + 3].hash++;
			r->header = r->directive && lexemes->count == first + 2 &&
				    sl_lexeme_among(&lexemes->items[first + 1], "include include_next import");
		}
	}
	lexemes->lines = r->line;
}

void
sl_lexemes_release(struct sl_lexemes *lexemes)
{
	for (size_t i = 0; i < lexemes->cleaned_count; i++)
		free(lexemes->cleaned[i]);
	free(lexemes->cleaned);
	free(lexemes->items);
	*lexemes = (struct sl_lexemes){0};
}

bool
sl_lexeme_is(const struct sl_lexeme *lexeme, const char *text)
{
	return strlen(text) == lexeme->length && memcmp(text, lexeme->text, lexeme->length) == 0;
}

bool
sl_lexeme_among(const struct sl_lexeme *lexeme, const char *words)
{
	return is_one_of(lexeme->text, lexeme->length, words);
}
