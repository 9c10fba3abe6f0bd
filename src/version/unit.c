#include "version/unit.h"

#include "base/rng.h"
#include "base/room.h"

#include <string.h>

#define DEPTH_MAX 100 /* of nested namespaces and classes; deeper ones are one unit */

struct parser {
	struct sl_units *units;
	const struct sl_lexeme *items;
	size_t count, at;
	bool cxx;
	unsigned depth;
};

/* A declaration while it is being read. */
struct declaration {
	uint32_t unit;
	size_t first; /* its first token */
	size_t parameters, last; /* the parentheses that may be a function's; 0: there are none */
	size_t name_first, name_last; /* the words before them; last is one behind */
	size_t word;                  /* the last name outside of all brackets; SIZE_MAX: none */
	size_t object;                /* the name before the first = or [; SIZE_MAX: none */
	bool assigned;                /* there was a = */
	bool record, enumeration, is_namespace, is_extern;
};

static uint32_t
unit_new(struct parser *p, enum sl_unit_kind kind)
{
	struct sl_units *u = p->units;

	u->items = sl_room_for(u->items, u->count, &u->capacity, sizeof(*u->items));
	u->items[u->count] = (struct sl_unit){.kind = kind, .cxx = p->cxx};
	return (uint32_t)u->count++;
}

static bool
is(const struct parser *p, size_t at, const char *text)
{
	return at < p->count && sl_lexeme_is(&p->items[at], text);
}

static bool
is_name(const struct parser *p, size_t at)
{
	return at < p->count && p->items[at].kind == SL_LEXEME_NAME;
}

static void
take(struct parser *p, uint32_t unit)
{
	p->units->of[p->at++] = unit;
}

/* Joins the words of [from, to), with `scope::` before them; without words the scope alone. */
static char *
text_of(const struct parser *p, const char *scope, size_t from, size_t to)
{
	size_t length = strlen(scope) + 3, n;
	char *text;

	for (size_t i = from; i < to; i++)
		length += p->items[i].length + 1;
	text = sl_room_zeroed(length, 1);
	n = strlen(scope);
	memcpy(text, scope, n);
	if (n && from < to) {
		memcpy(text + n, "::", 2);
		n += 2;
	}
	for (size_t i = from; i < to; i++) {
		if (i > from && is_name(p, i) && is_name(p, i - 1))
			text[n++] = ' ';
		memcpy(text + n, p->items[i].text, p->items[i].length);
		n += p->items[i].length;
	}
	return text;
}

/* ---- preprocessor lines ---- */

static void
take_directive(struct parser *p, uint32_t unit)
{
	while (p->at < p->count && p->items[p->at].kind != SL_LEXEME_END)
		take(p, unit);
	if (p->at < p->count)
		take(p, unit);
}

/*
 * Takes a preprocessor line inside of a declaration. Of a conditional only the first branch counts for brackets:
 * everything after an #else is taken up to the #endif.
 */
static void
take_inner_directive(struct parser *p, uint32_t unit)
{
	bool other = p->at + 1 < p->count && sl_lexeme_among(&p->items[p->at + 1], "else elif elifdef elifndef");
	unsigned nest = 0;

	take_directive(p, unit);
	while (other && p->at < p->count) {
		if (p->items[p->at].kind != SL_LEXEME_DIRECTIVE) {
			take(p, unit);
			continue;
		}
		if (p->at + 1 < p->count && sl_lexeme_among(&p->items[p->at + 1], "if ifdef ifndef"))
			nest++;
		else if (is(p, p->at + 1, "endif") && nest-- == 0)
			other = false;
		take_directive(p, unit);
	}
}

static void
directive(struct parser *p)
{
	uint32_t unit = unit_new(p, SL_UNIT_DIRECTIVE);
	bool names = p->at + 2 < p->count && sl_lexeme_among(&p->items[p->at + 1], "define undef");

	p->units->items[unit].name = names ? text_of(p, "", p->at + 2, p->at + 3) : NULL;
	take_directive(p, unit);
}

/* ---- declarations ---- */

/* Takes an opening bracket and everything up to the one that closes it; without one, up to the end of the text. */
static void
take_group(struct parser *p, uint32_t unit)
{
	size_t depth = 0;

	do {
		const struct sl_lexeme *t = &p->items[p->at];

		if (t->kind == SL_LEXEME_DIRECTIVE) {
			take_inner_directive(p, unit);
			continue;
		}
		if (t->kind == SL_LEXEME_SIGN && strchr("([{", t->text[0]) && t->length == 1)
			depth++;
		else if (t->kind == SL_LEXEME_SIGN && strchr(")]}", t->text[0]) && t->length == 1)
			depth--;
		take(p, unit);
	} while (depth && p->at < p->count);
}

static uint32_t declaration(struct parser *p, const char *scope, uint32_t record);

static void
items(struct parser *p, const char *scope, uint32_t record)
{
	while (p->at < p->count && !is(p, p->at, "}")) {
		if (p->items[p->at].kind == SL_LEXEME_DIRECTIVE && record == UINT32_MAX)
			directive(p);
		else if (p->items[p->at].kind == SL_LEXEME_DIRECTIVE)
			take_directive(p, record);
		else
			declaration(p, scope, record);
	}
}

/* Takes { to }, with units in between. */
static void
take_scope(struct parser *p, uint32_t unit, const char *scope, uint32_t record)
{
	if (p->depth == DEPTH_MAX) {
		take_group(p, unit);
		return;
	}
	p->depth++;
	take(p, unit);
	items(p, scope, record);
	p->depth--;
	if (p->at < p->count)
		take(p, unit);
}

/* Returns the beginning of the name before a (: `queue<T>::push`, `operator ==`, `~queue`. */
static size_t
name_start(const struct parser *p, size_t first, size_t end)
{
	size_t at = end;

	for (size_t i = end; i > first && end - i < 4;)
		if (is(p, --i, "operator")) {
			at = i;
			break;
		}
	if (at == end) {
		if (at == first || !is_name(p, at - 1) ||
		    sl_lexeme_among(&p->items[at - 1],
				    "void char short int long float double signed unsigned bool _Bool auto"))
			return end;
		at--;
	}
	if (at > first && is(p, at - 1, "~"))
		at--;
	while (at > first + 1 && is(p, at - 1, "::")) {
		size_t i = at - 1;

		if (is(p, i - 1, ">")) {
			unsigned depth = 0;

			while (i > first) {
				i--;
				depth += is(p, i, ">");
				depth -= is(p, i, "<");
				if (!depth)
					break;
			}
		}
		if (i == first || !is_name(p, i - 1))
			break;
		at = i - 1;
	}
	return at;
}

/* Takes what follows the parameters of a constructor: members and bases with their values, up to the body. */
static void
take_initialisers(struct parser *p, uint32_t unit)
{
	take(p, unit); /* the colon */
	while (p->at < p->count) {
		if (is(p, p->at, "(")) {
			take_group(p, unit);
		} else if (is(p, p->at, "{")) {
			bool value = p->at && (is_name(p, p->at - 1) || is(p, p->at - 1, ">"));

			if (!value)
				return;
			take_group(p, unit);
		} else if (is(p, p->at, ";") || is(p, p->at, "}")) {
			return;
		} else if (p->items[p->at].kind == SL_LEXEME_DIRECTIVE) {
			take_inner_directive(p, unit);
		} else {
			take(p, unit);
		}
	}
}

static void
look_at_word(struct parser *p, struct declaration *d)
{
	size_t at = p->at;

	if (is(p, at, "struct") || is(p, at, "class") || is(p, at, "union"))
		d->record |= !d->parameters && !d->enumeration && !d->assigned;
	else if (is(p, at, "enum"))
		d->enumeration = true;
	else if (is(p, at, "namespace"))
		d->is_namespace |= p->cxx;
	else if (is(p, at, "extern") && at + 2 < p->count && p->items[at + 1].kind == SL_LEXEME_STRING &&
		 is(p, at + 2, "{"))
		d->is_extern = true;
	else
		d->word = at;
}

static bool
is_attribute(const struct parser *p, size_t at)
{
	return at < p->count &&
	       sl_lexeme_among(
		       &p->items[at],
		       "__attribute__ __attribute __declspec alignas _Alignas __asm__ asm __asm noexcept "
		       "decltype typeof __typeof__ _Atomic throw requires explicit static_assert _Static_assert");
}

static void
look_at_parentheses(struct parser *p, struct declaration *d)
{
	size_t start;

	if (is(p, p->at + 1, "*") && is_name(p, p->at + 2) && d->object == SIZE_MAX && !d->parameters)
		d->object = p->at + 2; /* a pointer to a function */
	start = name_start(p, d->first, p->at);
	/* a macro's call without a semicolon may stand before a function */
	if (d->parameters && (d->name_first != d->first || start <= d->last))
		start = p->at;
	if (start == p->at || d->assigned || is(p, p->at + 1, "*") || is_attribute(p, p->at - 1)) {
		take_group(p, d->unit);
		return;
	}
	d->name_first = start;
	d->name_last = p->at;
	d->parameters = p->at;
	take_group(p, d->unit);
	/* `operator()` has two pairs of parentheses */
	if (is(p, d->parameters - 1, "operator") && is(p, p->at, "(")) {
		d->name_last = d->parameters = p->at;
		take_group(p, d->unit);
	}
	d->last = p->at;
}

/* The name of a record is the last word before its { or the : of its bases. */
static size_t
record_name(const struct parser *p, size_t first, size_t end)
{
	size_t name = SIZE_MAX;

	for (size_t i = first; i < end && !is(p, i, ":"); i++)
		if (is_attribute(p, i) && is(p, i + 1, "(")) {
			size_t depth = 0;

			do {
				i++;
				depth += is(p, i, "(");
				depth -= is(p, i, ")");
			} while (depth && i + 1 < end);
		} else if (is_name(p, i) &&
			   !sl_lexeme_among(&p->items[i],
					    "struct class union final typedef static const extern template "
					    "typename volatile enum")) {
			name = i;
		}
	return name;
}

static void
name_it(struct parser *p, const struct declaration *d, const char *scope)
{
	struct sl_unit *unit = &p->units->items[d->unit];

	if (unit->name)
		return;
	if (d->parameters) {
		/* a test's macro has its name in its parentheses */
		bool macro = unit->kind == SL_UNIT_FUNCTION && d->name_first == d->first &&
			     d->name_last == d->first + 1 && !*scope;

		unit->name = text_of(p, scope, d->name_first, macro ? d->last : d->name_last);
		unit->parameters = d->parameters;
		unit->last = d->last;
		/* `queue::push`, defined outside of its class */
		for (size_t i = d->name_last; i-- > d->name_first;)
			if (is(p, i, "::")) {
				unit->scope = text_of(p, scope, d->name_first, i);
				break;
			}
	} else if (d->object != SIZE_MAX) {
		unit->name = text_of(p, scope, d->object, d->object + 1);
	} else if (d->word != SIZE_MAX) {
		unit->name = text_of(p, scope, d->word, d->word + 1);
	}
	if (!unit->scope && *scope)
		unit->scope = text_of(p, scope, 0, 0);
}

/* Takes the body of a record, which in C++ may have functions. */
static void
take_record(struct parser *p, struct declaration *d, const char *scope)
{
	size_t name = record_name(p, d->first, p->at);
	struct sl_unit *unit = &p->units->items[d->unit];
	char *inner;

	inner = name == SIZE_MAX ? text_of(p, scope, 0, 0) : text_of(p, scope, name, name + 1);
	if (!unit->name) {
		unit->kind = SL_UNIT_RECORD;
		if (name != SIZE_MAX) {
			unit->name = text_of(p, scope, name, name + 1);
			unit->scope = text_of(p, scope, name, name + 1);
		}
	}
	if (p->cxx)
		take_scope(p, d->unit, inner, d->unit);
	else
		take_group(p, d->unit);
	free(inner);
	d->record = false;
	d->word = SIZE_MAX;
}

/* Takes `namespace a::b {` or `extern "C" {`; false: it is neither. */
static bool
take_bracket(struct parser *p, struct declaration *d, const char *scope)
{
	char *inner;

	if (!d->is_namespace && !d->is_extern)
		return false;
	p->units->items[d->unit].kind = SL_UNIT_BRACKET;
	if (d->is_namespace) {
		size_t from = d->first;

		while (from < p->at && !is(p, from, "namespace"))
			from++;
		inner = from + 1 < p->at ? text_of(p, scope, from + 1, p->at) : text_of(p, scope, 0, 0);
	} else {
		inner = strdup(scope);
	}
	take_scope(p, d->unit, inner, UINT32_MAX);
	free(inner);
	return true;
}

/* Returns true if the declaration has ended. */
static bool
look_at_brace(struct parser *p, struct declaration *d, const char *scope, uint32_t record)
{
	if (!d->assigned && d->parameters && !d->is_namespace) {
		if (d->unit == record) { /* a function inside a class is a unit of its own */
			d->unit = unit_new(p, SL_UNIT_FUNCTION);
			for (size_t i = d->first; i < p->at; i++)
				p->units->of[i] = d->unit;
		}
		p->units->items[d->unit].kind = SL_UNIT_FUNCTION;
		take_group(p, d->unit);
		name_it(p, d, scope);
		return true;
	}
	if (!d->assigned && take_bracket(p, d, scope))
		return true;
	if (!d->assigned && d->record) {
		take_record(p, d, scope);
		return false;
	}
	if (d->first == p->at) { /* the body of a function whose parameters are declared behind them */
		take_group(p, d->unit);
		return true;
	}
	if (d->enumeration && d->word != SIZE_MAX && d->object == SIZE_MAX)
		d->object = d->word;
	take_group(p, d->unit);
	return false;
}

static uint32_t
declaration(struct parser *p, const char *scope, uint32_t record)
{
	struct declaration d = {.first = p->at, .word = SIZE_MAX, .object = SIZE_MAX};
	bool over = false;

	d.unit = record == UINT32_MAX ? unit_new(p, SL_UNIT_DECLARATION) : record;
	while (p->at < p->count && !over) {
		const struct sl_lexeme *t = &p->items[p->at];

		if (t->kind == SL_LEXEME_DIRECTIVE) {
			take_inner_directive(p, d.unit);
		} else if (is(p, p->at, ";")) {
			take(p, d.unit);
			over = true;
		} else if (is(p, p->at, "}")) {
			if (p->depth)
				break;
			take(p, d.unit); /* a token that belongs to nothing else */
			over = true;
		} else if (is(p, p->at, "(")) {
			look_at_parentheses(p, &d);
		} else if (is(p, p->at, "{")) {
			over = look_at_brace(p, &d, scope, record);
		} else if (is(p, p->at, "[")) {
			if (d.object == SIZE_MAX && !is(p, p->at + 1, "["))
				d.object = d.word;
			take_group(p, d.unit);
		} else if (is(p, p->at, "=") && !is(p, p->at - 1, "operator")) {
			d.assigned = true;
			if (d.object == SIZE_MAX)
				d.object = d.word;
			take(p, d.unit);
		} else if (is(p, p->at, ":") && d.parameters && p->at >= d.last && p->cxx) {
			take_initialisers(p, d.unit);
		} else if (is(p, p->at, ":") && record != UINT32_MAX && d.first + 1 == p->at &&
			   sl_lexeme_among(&p->items[d.first], "public private protected")) {
			take(p, d.unit);
			over = true;
		} else {
			if (t->kind == SL_LEXEME_NAME)
				look_at_word(p, &d);
			take(p, d.unit);
		}
	}
	if (d.unit != record && p->units->items[d.unit].kind != SL_UNIT_BRACKET)
		name_it(p, &d, scope);
	return d.unit;
}

/* ---- all of it ---- */

static void
put_in_order(struct sl_units *u)
{
	size_t count = u->lexemes->count, sum = 0;

	for (size_t i = 0; i < count; i++)
		u->items[u->of[i]].count++;
	for (size_t i = 0; i < u->count; i++) {
		u->items[i].first = sum;
		sum += u->items[i].count;
		u->items[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct sl_unit *unit = &u->items[u->of[i]];

		u->order[unit->first + unit->count++] = (uint32_t)i;
	}
}

/* Hashes the name and the types of the parameters, which tell C++ functions of one name apart. */
static void
sign(const struct sl_units *u, struct sl_unit *unit)
{
	uint64_t h = 1;

	for (const char *c = unit->name; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	for (size_t i = unit->parameters; i < unit->last; i++)
		if (!u->local[i])
			h = sl_mix(h ^ u->lexemes->items[i].hash);
	unit->signature = h ? h : 1;
}

void
sl_units_init(struct sl_units *units, const struct sl_lexemes *lexemes, bool cxx)
{
	struct parser p = {.units = units, .items = lexemes->items, .count = lexemes->count, .cxx = cxx};

	*units = (struct sl_units){.lexemes = lexemes,
				   .of = sl_room_zeroed(lexemes->count, sizeof(uint32_t)),
				   .order = sl_room_zeroed(lexemes->count, sizeof(uint32_t)),
				   .local = sl_room_zeroed(lexemes->count, sizeof(uint32_t))};
	while (p.at < p.count) {
		items(&p, "", UINT32_MAX);
		if (p.at < p.count)
			declaration(&p, "", UINT32_MAX); /* begins with a } of nothing */
	}
	put_in_order(units);
	for (size_t i = 0; i < units->count; i++) {
		struct sl_unit *unit = &units->items[i];

		if (!unit->name)
			unit->name = sl_room_zeroed(1, 1);
		if (!unit->scope)
			unit->scope = sl_room_zeroed(1, 1);
		if (unit->last > unit->parameters) {
			sl_unit_locals(units, unit, units->local);
			sign(units, unit);
		}
	}
}

void
sl_units_release(struct sl_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free(units->items[i].name);
		free(units->items[i].scope);
	}
	free(units->items);
	free(units->of);
	free(units->order);
	free(units->local);
	*units = (struct sl_units){0};
}
