#include "script.h"

#include "scope.h"

#include <stdarg.h>
#include <stdio.h>

struct script {
	struct cache *cache;
	struct lexer lexer;
	struct scopes scopes;
	struct script_result *result;
	int is_over; /* there was a return, or an error */
};

static long expression(struct script *script);
static void statement(struct script *script);

static void __attribute__((format(printf, 2, 3))) fail(struct script *script, const char *format, ...)
{
	struct script_result *result = script->result;
	va_list args;

	if (result->is_error)
		return;
	result->is_error = 1;
	result->line = script->lexer.token.line;
	va_start(args, format);
	vsnprintf(result->message, sizeof(result->message), format, args);
	va_end(args);
	script->is_over = 1;
}

static void
expect_sign(struct script *script, char sign)
{
	if (lexer_is_sign(&script->lexer, sign))
		lexer_advance(&script->lexer);
	else
		fail(script, "expected %c, found %s", sign, token_kind_text(script->lexer.token.kind));
}

/* The current token, which is a name: a reference for the caller. */
static struct string *
take_name(struct script *script)
{
	struct string *name = cache_hold(script->lexer.token.name);

	lexer_advance(&script->lexer);
	return name;
}

static long
value_of(struct script *script)
{
	struct string *name = take_name(script);
	const struct variable *variable = scopes_find(&script->scopes, name);

	if (!variable)
		fail(script, "%s has not been declared", name->text);
	cache_release(script->cache, name);
	return variable ? variable->value : 0;
}

static long
factor(struct script *script)
{
	struct lexer *lexer = &script->lexer;
	long value = 0;

	if (lexer->token.kind == TOKEN_NUMBER) {
		value = lexer->token.number;
		lexer_advance(lexer);
	} else if (lexer->token.kind == TOKEN_NAME) {
		value = value_of(script);
	} else if (lexer_is_sign(lexer, '-')) {
		lexer_advance(lexer);
		value = -factor(script);
	} else if (lexer_is_sign(lexer, '(')) {
		lexer_advance(lexer);
		value = expression(script);
		expect_sign(script, ')');
	} else {
		fail(script, "expected a value, found %s", token_kind_text(lexer->token.kind));
	}
	return value;
}

static long
term(struct script *script)
{
	long value = factor(script);

	while (!script->is_over && (lexer_is_sign(&script->lexer, '*') || lexer_is_sign(&script->lexer, '/'))) {
		char sign = script->lexer.token.sign;
		long other;

		lexer_advance(&script->lexer);
		other = factor(script);
		if (sign == '*')
			value *= other;
		else if (other)
			value /= other;
		else
			fail(script, "division by 0");
	}
	return value;
}

static long
expression(struct script *script)
{
	long value = term(script);

	while (!script->is_over && (lexer_is_sign(&script->lexer, '+') || lexer_is_sign(&script->lexer, '-'))) {
		char sign = script->lexer.token.sign;
		long other;

		lexer_advance(&script->lexer);
		other = term(script);
		value += sign == '+' ? other : -other;
	}
	return value;
}

static void
declaration(struct script *script)
{
	struct string *name;
	long value;

	lexer_advance(&script->lexer);
	if (script->lexer.token.kind != TOKEN_NAME) {
		fail(script, "expected a name after let, found %s", token_kind_text(script->lexer.token.kind));
		return;
	}
	name = take_name(script);
	expect_sign(script, '=');
	value = expression(script);
	if (!script->is_over && !scopes_declare(&script->scopes, name, value))
		fail(script, "%s is declared twice", name->text);
	cache_release(script->cache, name);
	expect_sign(script, ';');
}

static void
assignment(struct script *script)
{
	struct string *name = take_name(script);
	struct variable *variable = scopes_find(&script->scopes, name);
	long value;

	expect_sign(script, '=');
	value = expression(script);
	if (variable)
		variable->value = value;
	else
		fail(script, "%s has not been declared", name->text);
	cache_release(script->cache, name);
	expect_sign(script, ';');
}

static void
block(struct script *script)
{
	lexer_advance(&script->lexer);
	scopes_enter(&script->scopes);
	while (!script->is_over && !lexer_is_sign(&script->lexer, '}'))
		statement(script);
	scopes_leave(&script->scopes);
	if (!script->is_over)
		expect_sign(script, '}');
}

static void
statement(struct script *script)
{
	struct lexer *lexer = &script->lexer;

	if (lexer->token.kind == TOKEN_LET) {
		declaration(script);
	} else if (lexer->token.kind == TOKEN_NAME) {
		assignment(script);
	} else if (lexer_is_sign(lexer, '{')) {
		block(script);
	} else if (lexer->token.kind == TOKEN_RETURN) {
		lexer_advance(lexer);
		script->result->value = expression(script);
		script->is_over = 1;
	} else {
		fail(script, "expected a statement, found %s", token_kind_text(lexer->token.kind));
	}
}

void
script_run(struct cache *cache, const struct keywords *keywords, const char *text, struct script_result *result)
{
	struct script script = {.cache = cache, .result = result};

	*result = (struct script_result){0};
	lexer_init(&script.lexer, cache, keywords, text);
	scopes_init(&script.scopes, cache);
	scopes_enter(&script.scopes);
	while (!script.is_over && script.lexer.token.kind != TOKEN_END)
		statement(&script);
	scopes_release(&script.scopes);
	lexer_release(&script.lexer);
}
