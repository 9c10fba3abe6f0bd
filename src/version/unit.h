/*
 * The top-level declarations of a source file: functions, types, variables, preprocessor lines. Two versions are
 * compared by these units, wherever they have moved to. Namespaces and extern "C" are looked through; a function
 * that is defined inside a class is a unit of its own, and the rest of the class is another. For align.c.
 *
 * Every token belongs to exactly one unit. Units are found by the tokens alone, without types or macros. In doubt
 * a name is no local variable, so that a renaming is reported as a change rather than missed.
 */
#ifndef SL_VERSION_UNIT_H
#define SL_VERSION_UNIT_H

#include "version/lexeme.h"

enum sl_unit_kind {
	SL_UNIT_DIRECTIVE,
	SL_UNIT_FUNCTION,    /* with its body */
	SL_UNIT_RECORD,      /* struct, class, union */
	SL_UNIT_DECLARATION, /* all others */
	SL_UNIT_BRACKET,     /* `namespace a {`, `extern "C" {` and their ends */
};

struct sl_unit {
	enum sl_unit_kind kind;
	char *name; /* "queue::push"; of a test macro "TEST(queue,push)"; empty: it has none */
	char *scope; /* of a function inside a class: "ns::queue"; of a record its own name; else empty or the namespace's */
	uint64_t signature;      /* of the name and the types of its parameters; 0: it has none */
	size_t parameters, last; /* tokens, from the ( of its parameters to behind the ); equal: it has none */
	size_t first, count;     /* of sl_units.order */
	bool cxx;
};

struct sl_units {
	const struct sl_lexemes *lexemes;
	struct sl_unit *items;
	size_t count, capacity;
	uint32_t *of;    /* by token: its unit */
	uint32_t *order; /* tokens, by unit and in their order */
	uint32_t *
		local; /* by token: 0, or the number of the local variable or parameter that it names, from 1 in their order */
};

/* cxx: the file is C++, or may be. */
void sl_units_init(struct sl_units *units, const struct sl_lexemes *lexemes, bool cxx);
void sl_units_release(struct sl_units *units);

/* For unit.c and local.c: finds the local variables of a function, or the parameters of a prototype. */
void sl_unit_locals(const struct sl_units *units, const struct sl_unit *unit, uint32_t *local);

#endif
