/*
 * Finds the local variables and parameters of a function, by its tokens alone. In doubt a name is no local
 * variable; and none is if the function's statements are not balanced (macros, branches of conditionals that each
 * open a block).
 */
#include "version/unit.h"

#include "base/room.h"

#include <string.h>

#define DEPTH_MAX 200 /* depth of statements and brackets; of a deeper function nothing is known */

struct variable {
	uint64_t name; /* the hash of its token */
	uint32_t number;
};

struct reader {
	const struct sl_lexeme *items; /* the tokens of the file */
	const uint32_t *view; /* the function's tokens without preprocessor lines */
	size_t count, at;
	uint32_t *local;
	struct variable *variables; /* the visible ones, the innermost last */
	size_t variable_count, variable_capacity;
	uint32_t numbers;
	unsigned depth;
	bool cxx, lost;
};

static const char types[] =
	"void char short int long float double signed unsigned bool _Bool auto wchar_t char8_t char16_t char32_t "
	"__int128 __auto_type _Complex";
static const char qualifiers[] =
	"const volatile static register thread_local _Thread_local __thread constexpr restrict __restrict "
	"__restrict__ inline mutable constinit __extension__";
static const char with_parentheses[] =
	"typeof __typeof__ __typeof decltype _Atomic alignas _Alignas __attribute__ __attribute";
static const char no_declaration[] =
	"return goto break continue case default if else for while do switch sizeof delete throw new asm __asm__ co_return co_yield "
	"co_await extern typedef using static_assert _Static_assert this true false nullptr operator public private protected "
	"namespace template friend try catch";
static const char tags[] = "struct union enum class typename";

static const struct sl_lexeme *
item(const struct reader *r, size_t at)
{
	static const struct sl_lexeme none = {.text = "", .kind = SL_LEXEME_END};

	return at < r->count ? &r->items[r->view[at]] : &none;
}

static bool
is(const struct reader *r, size_t at, const char *text)
{
	return sl_lexeme_is(item(r, at), text);
}

static bool
among(const struct reader *r, size_t at, const char *words)
{
	const struct sl_lexeme *t = item(r, at);

	return t->kind == SL_LEXEME_NAME && sl_lexeme_among(t, words);
}

/* Returns whether the token is a name that the program may define. */
static bool
is_name(const struct reader *r, size_t at)
{
	return item(r, at)->kind == SL_LEXEME_NAME && !among(r, at, types) && !among(r, at, qualifiers) &&
	       !among(r, at, with_parentheses) && !among(r, at, no_declaration) && !among(r, at, tags);
}

static void
declare(struct reader *r, size_t at)
{
	r->variables = sl_room_for(r->variables, r->variable_count, &r->variable_capacity, sizeof(*r->variables));
	r->variables[r->variable_count++] = (struct variable){item(r, at)->hash, ++r->numbers};
	r->local[r->view[at]] = r->numbers;
}

/* Takes a name in an expression. */
static void
use(struct reader *r, size_t at)
{
	if (item(r, at)->kind != SL_LEXEME_NAME || is(r, at + 1, "::"))
		return;
	if (at && (is(r, at - 1, ".") || is(r, at - 1, "->") || is(r, at - 1, "::") || is(r, at - 1, "goto") ||
		   among(r, at - 1, tags)))
		return;
	for (size_t i = r->variable_count; i-- > 0;)
		if (r->variables[i].name == item(r, at)->hash) {
			r->local[r->view[at]] = r->variables[i].number;
			return;
		}
}

/* Returns the index behind the bracket that closes this one; the end if there is none. */
static size_t
behind_group(const struct reader *r, size_t at)
{
	size_t depth = 0;

	do {
		const struct sl_lexeme *t = item(r, at++);

		if (t->kind != SL_LEXEME_SIGN || t->length != 1)
			continue;
		depth += t->text[0] == '(' || t->text[0] == '[' || t->text[0] == '{';
		depth -= t->text[0] == ')' || t->text[0] == ']' || t->text[0] == '}';
	} while (depth && at < r->count);
	return at;
}

/* Returns the index behind `<…>` if that is a list of template arguments; 0: it is not. */
static size_t
behind_template(const struct reader *r, size_t at)
{
	size_t depth = 0;

	for (; at < r->count; at++) {
		const struct sl_lexeme *t = item(r, at);

		if (is(r, at, "<"))
			depth++;
		else if (is(r, at, ">") && --depth == 0)
			return at + 1;
		else if (is(r, at, ">>") && depth <= 2)
			return depth == 2 ? at + 1 : 0;
		else if (is(r, at, ">>"))
			depth -= 2;
		else if (is(r, at, "("))
			at = behind_group(r, at) - 1;
		else if (t->kind == SL_LEXEME_SIGN && !sl_lexeme_among(t, "< > , :: * & && ..."))
			return 0;
	}
	return 0;
}

static void expression(struct reader *r, bool comma);
static void statement(struct reader *r);
static void parameters(struct reader *r);

static bool
deeper(struct reader *r)
{
	if (r->depth >= DEPTH_MAX)
		r->lost = true;
	return !r->lost && r->depth++ < DEPTH_MAX;
}

static void
block(struct reader *r)
{
	size_t seen = r->variable_count;

	r->at++;
	while (r->at < r->count && !is(r, r->at, "}") && !r->lost)
		statement(r);
	if (r->at >= r->count)
		r->lost = true;
	r->at++;
	r->variable_count = seen;
}

/* Returns the index of the body or the parameters of [captures](parameters) { … }; 0: it is no lambda. */
static size_t
lambda(const struct reader *r)
{
	size_t at;

	if (!r->cxx || !is(r, r->at, "[") ||
	    (r->at &&
	     (item(r, r->at - 1)->kind == SL_LEXEME_NAME || is(r, r->at - 1, ")") || is(r, r->at - 1, "]")) &&
	     !is(r, r->at - 1, "return")))
		return 0;
	at = behind_group(r, r->at);
	return is(r, at, "(") || is(r, at, "{") ? at : 0;
}

static void
take_lambda(struct reader *r, size_t body)
{
	size_t seen = r->variable_count;

	for (; r->at < body; r->at++)
		use(r, r->at);
	if (is(r, r->at, "("))
		parameters(r);
	while (r->at < r->count && !is(r, r->at, "{") && !is(r, r->at, ";") && !is(r, r->at, ")"))
		use(r, r->at++);
	if (is(r, r->at, "{"))
		block(r);
	r->variable_count = seen;
}

/* Takes everything up to a ; or a bracket that closes an outer one; with `comma` up to a comma, too. */
static void
expression(struct reader *r, bool comma)
{
	if (!deeper(r))
		return;
	while (r->at < r->count && !r->lost) {
		size_t behind;

		if (is(r, r->at, ";") || is(r, r->at, ")") || is(r, r->at, "]") || is(r, r->at, "}") ||
		    (comma && is(r, r->at, ",")))
			break;
		if ((behind = lambda(r))) {
			take_lambda(r, behind);
		} else if (is(r, r->at, "(") && is(r, r->at + 1, "{")) { /* a statement as an expression */
			r->at++;
			block(r);
			r->lost |= !is(r, r->at, ")");
			r->at++;
		} else if (is(r, r->at, "(") || is(r, r->at, "[") || is(r, r->at, "{")) {
			const char *close = is(r, r->at, "(") ? ")" : is(r, r->at, "[") ? "]" : "}";

			r->at++;
			expression(r, false);
			r->lost |= !is(r, r->at, close);
			r->at++;
		} else if (r->cxx && r->at && is(r, r->at, "<") && is_name(r, r->at - 1) &&
			   (behind = behind_template(r, r->at)) &&
			   (is(r, behind, "(") || is(r, behind, "{") || is(r, behind, "::"))) {
			for (; r->at < behind; r->at++)
				use(r, r->at);
		} else {
			use(r, r->at++);
		}
	}
	r->depth--;
}

/* In C++ `guard lock(mutex)` declares a variable, and `int size(struct queue *)` does not. */
static bool
is_initialised(const struct reader *r, size_t at)
{
	size_t first = at + 1;

	if (!r->cxx || is(r, first, ")"))
		return false;
	if (among(r, first, types) || among(r, first, qualifiers) || among(r, first, tags))
		return false;
	while (is_name(r, first) && is(r, first + 1, "::"))
		first += 2;
	return !(is_name(r, first) && (is_name(r, first + 1) || is(r, first + 1, "*") || is(r, first + 1, "&")));
}

static bool
may_follow(const struct reader *r, size_t at, const char *followers)
{
	if (is(r, at, "("))
		return strchr(followers, '(') && is_initialised(r, at);
	if (is(r, at, "__attribute__") || is(r, at, "__asm__"))
		return true;
	return item(r, at)->kind == SL_LEXEME_SIGN && item(r, at)->length == 1 &&
	       strchr(followers, item(r, at)->text[0]);
}

/* Returns the index behind `queue` or `::ns::queue<int>`; 0: it is no such name. */
static size_t
behind_name(const struct reader *r, size_t at)
{
	at += r->cxx && is(r, at, "::");
	for (;;) {
		if (!is_name(r, at))
			return 0;
		at++;
		if (r->cxx && is(r, at, "<") && !(at = behind_template(r, at)))
			return 0;
		if (!r->cxx || !is(r, at, "::"))
			return at;
		at++;
	}
}

/*
 * Reads the specifiers of a declaration at r->at. Returns the index of its first declarator, a name or the ( of a
 * pointer to a function; 0: it is no declaration of a variable.
 */
static size_t
specifiers(const struct reader *r)
{
	size_t at = r->at;
	bool type = false;

	while (at < r->count) {
		if (among(r, at, types)) {
			type = true;
			at++;
		} else if (among(r, at, qualifiers)) {
			at++;
		} else if (among(r, at, with_parentheses)) {
			type |= !among(r, at, "__attribute__ __attribute alignas _Alignas");
			at++;
			if (is(r, at, "("))
				at = behind_group(r, at);
		} else if (among(r, at, tags)) {
			at++;
			while (among(r, at, with_parentheses) && is(r, at + 1, "("))
				at = behind_group(r, at + 1);
			if (!is(r, at, "{") && !(at = behind_name(r, at)))
				return 0;
			if (is(r, at, "{"))
				at = behind_group(r, at);
			type = true;
		} else if (!type && (is_name(r, at) || (is(r, at, "::") && r->cxx))) {
			at = behind_name(r, at);
			if (!at)
				return 0;
			type = true;
		} else if (type && (is(r, at, "*") || is(r, at, "&") || is(r, at, "&&"))) {
			at++;
		} else if (type && is_name(r, at) && is_name(r, at + 1)) {
			at++; /* a macro for an attribute */
		} else {
			break;
		}
	}
	if (!type || at == r->at)
		return 0;
	return is_name(r, at) || (is(r, at, "(") && is(r, at + 1, "*") && is_name(r, at + 2)) ? at : 0;
}

/* Takes the declarators from `at` on, with their values. followers: what may stand behind a name. */
static void
declarators(struct reader *r, size_t at, const char *followers)
{
	while (r->at < at) {
		if (is(r, r->at, "(") || is(r, r->at, "{")) /* typeof (x), and the members of a struct */
			r->at = behind_group(r, r->at);
		else
			r->at++;
	}
	for (;;) {
		while (is(r, r->at, "*") || is(r, r->at, "&") || among(r, r->at, qualifiers))
			r->at++;
		if (is(r, r->at, "(") && is(r, r->at + 1, "*") && is_name(r, r->at + 2)) {
			declare(r, r->at + 2);
			r->at = behind_group(r, r->at);
			if (is(r, r->at, "("))
				r->at = behind_group(r, r->at); /* the names of its parameters have no meaning here */
		} else if (is_name(r, r->at) && may_follow(r, r->at + 1, followers)) {
			declare(r, r->at++);
		}
		expression(r, true);
		if (!is(r, r->at, ",") || r->lost)
			return;
		r->at++;
	}
}

/* Returns false, and takes nothing, if it is no declaration. */
static bool
declaration(struct reader *r, const char *followers)
{
	size_t at = specifiers(r);

	if (!at || (is_name(r, at) && !may_follow(r, at + 1, followers)))
		return false;
	declarators(r, at, followers);
	return true;
}

/* Takes ( … ) of an if, a for or a catch: its variables are visible in the statement. */
static void
condition(struct reader *r, const char *followers)
{
	if (!is(r, r->at, "(")) {
		r->lost = true;
		return;
	}
	r->at++;
	while (r->at < r->count && !is(r, r->at, ")") && !r->lost) {
		if (!declaration(r, followers))
			expression(r, false);
		if (is(r, r->at, ";") || is(r, r->at, ":"))
			r->at++;
		else if (!is(r, r->at, ")"))
			r->lost = true;
	}
	r->at++;
}

static void
compound(struct reader *r)
{
	size_t seen = r->variable_count;

	if (is(r, r->at, "do")) {
		r->at++;
		statement(r);
		r->variable_count = seen;
		r->lost |= !is(r, r->at, "while");
		return; /* the rest is an ordinary statement */
	}
	if (is(r, r->at, "try") || is(r, r->at, "else")) {
		r->at++;
		statement(r);
	} else {
		bool is_if = is(r, r->at, "if"), is_for = is(r, r->at, "for"), is_catch = is(r, r->at, "catch");

		r->at++;
		if (is_if && is(r, r->at, "constexpr"))
			r->at++;
		condition(r, is_catch ? ")" : is_for ? "=;,:[{" : "={");
		statement(r);
		if (is_if && is(r, r->at, "else") && !r->lost) {
			r->at++;
			statement(r);
		}
	}
	r->variable_count = seen;
}

static void
statement(struct reader *r)
{
	if (!deeper(r))
		return;
	while ((item(r, r->at)->kind == SL_LEXEME_NAME && is(r, r->at + 1, ":") &&
		!among(r, r->at, no_declaration)))
		r->at += 2; /* a label */
	if (is(r, r->at, "case") || is(r, r->at, "default")) {
		while (r->at < r->count && !is(r, r->at, ":") && !is(r, r->at, ";") && !is(r, r->at, "}"))
			use(r, r->at++);
		r->at += is(r, r->at, ":");
	} else if (is(r, r->at, "{")) {
		block(r);
	} else if (among(r, r->at, "if for while switch do else try catch")) {
		compound(r);
	} else if (is_name(r, r->at) && is(r, r->at + 1, "(") &&
		   (is(r, behind_group(r, r->at + 1), "{") ||
		    among(r, behind_group(r, r->at + 1), "if for while switch do return"))) {
		r->at += 2; /* a macro for a loop */
		expression(r, false);
		r->lost |= !is(r, r->at, ")");
		r->at++;
		statement(r);
	} else if (is(r, r->at, "using") || is(r, r->at, "typedef") || is(r, r->at, "extern")) {
		while (r->at < r->count && !is(r, r->at, ";") && !is(r, r->at, "}"))
			r->at = is(r, r->at, "{") ? behind_group(r, r->at) : r->at + 1;
		r->at += is(r, r->at, ";");
	} else {
		if (!declaration(r, r->cxx ? "=;,[({" : "=;,["))
			expression(r, false);
		if (is(r, r->at, ";"))
			r->at++;
		else if (!is(r, r->at, "}"))
			r->lost = true;
	}
	r->depth--;
}

/* Returns the index of the parameter's name in [from, to); SIZE_MAX: it has none. */
static size_t
parameter_name(const struct reader *r, size_t from, size_t to)
{
	bool type = false;
	size_t name = SIZE_MAX;

	for (size_t at = from; at < to && !is(r, at, "=") && !is(r, at, "[");) {
		if (among(r, at, types)) {
			type = true;
			at++;
		} else if (among(r, at, tags)) {
			type = true;
			at += 2;
		} else if (is(r, at, "(") && is(r, at + 1, "*") && is_name(r, at + 2)) {
			return at + 2;
		} else if (is(r, at, "(")) {
			at = behind_group(r, at);
		} else if (r->cxx && is(r, at, "<") && behind_template(r, at)) {
			at = behind_template(r, at);
		} else if (is_name(r, at) && !type) {
			type = true;
			at++;
		} else if (is(r, at, "::")) {
			at += 2;
		} else {
			if (is_name(r, at))
				name = at;
			at++;
		}
	}
	return name;
}

static void
parameters(struct reader *r)
{
	size_t end = behind_group(r, r->at), from = ++r->at;

	while (from + 1 < end) {
		size_t to = from, name;

		while (to + 1 < end && !is(r, to, ",")) {
			size_t behind = 0;

			if (is(r, to, "(") || is(r, to, "[") || is(r, to, "{"))
				behind = behind_group(r, to);
			else if (r->cxx && is(r, to, "<"))
				behind = behind_template(r, to);
			to = behind ? behind : to + 1;
		}
		name = parameter_name(r, from, to);
		for (; r->at < to && r->at < end; r->at++)
			if (r->at != name)
				use(r, r->at); /* sizes of arrays, defaults */
		if (name != SIZE_MAX)
			declare(r, name);
		from = r->at = to + 1;
	}
	r->at = end;
}

void
sl_unit_locals(const struct sl_units *units, const struct sl_unit *unit, uint32_t *local)
{
	uint32_t *view = sl_room_zeroed(unit->count, sizeof(*view));
	struct reader reader = {.items = units->lexemes->items, .view = view, .local = local, .cxx = unit->cxx},
		      *r = &reader;
	bool directive = false;

	for (size_t i = 0; i < unit->count; i++) {
		uint32_t token = units->order[unit->first + i];
		const struct sl_lexeme *t = &units->lexemes->items[token];

		if (token < unit->parameters)
			continue;
		directive |= t->kind == SL_LEXEME_DIRECTIVE;
		if (!directive)
			view[r->count++] = token;
		directive &= t->kind != SL_LEXEME_END;
	}
	if (is(r, 0, "(")) {
		parameters(r);
		/* initialisers of members, which may use parameters */
		for (bool values = false; r->at < r->count; use(r, r->at++)) {
			values |= is(r, r->at, ":");
			if (is(r, r->at, "{") && !(values && (is_name(r, r->at - 1) || is(r, r->at - 1, ">"))))
				break;
		}
		if (unit->kind == SL_UNIT_FUNCTION) {
			block(r);
			r->lost |= r->at != r->count;
		}
	}
	if (r->lost)
		for (size_t i = 0; i < r->count; i++)
			local[view[i]] = 0;
	free(r->variables);
	free(view);
}
