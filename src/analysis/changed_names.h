/*
 * Names that stand for something else in the new version: macros, types, enumerators. A line that uses such a name has changed
 * although its text has not. Used by impacted_points.c for functions whose code differs and of which other lines have changed, so
 * that their hash does not tell what else has.
 */
#ifndef SL_ANALYSIS_CHANGED_NAMES_H
#define SL_ANALYSIS_CHANGED_NAMES_H

#include "version/align.h"
#include "version/lexeme.h"

struct sl_changed_name {
	char *name;
	const char *file; /* its definition, in the new version, or (`old`) in the old one */
	uint32_t line;
	bool old;
	bool type; /* of a struct, union or class */
};

struct sl_changed_names {
	struct sl_changed_name *items;
	size_t count, capacity;
};

/* One version: its texts, how they are aligned with the other version, and which of them count. */
struct sl_names_of {
	const struct sl_text *texts;
	const struct sl_alignment *alignment;
	const bool *counts;
};

/* The macros of the new version that are made with such a name are among them, too, and the variables and types that have a changed type in them. */
void sl_changed_names_find(struct sl_changed_names *names, const struct sl_names_of *new,
			   const struct sl_names_of *old);
void sl_changed_names_release(struct sl_changed_names *names);

/* Goes on to the next variable that is declared behind the name of a type, and has it in it. Returns false if there is none. */
bool sl_changed_names_declared(const struct sl_lexemes *lexemes, size_t *at);

/* NULL: it is none. The text need not end with a zero. */
const struct sl_changed_name *sl_changed_names_look_up(const struct sl_changed_names *names, const char *text,
						       size_t length);

#endif
