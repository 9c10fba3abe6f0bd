/*
 * --sets FILE: atomic sets and units of work by their names in the program. A line is `set VARIABLE…`: these global or static variables, or
 * members of them, are one atomic set; `set struct TYPE`: the members of one object of the type are; `set struct TYPE.{MEMBER,…}`: these
 * members are; or `unit FUNCTION…`: a call of one of these functions is a unit of work, also if it is static. `#` begins a comment.
 */
#ifndef SL_CLI_PREDICT_DECLARED_H
#define SL_CLI_PREDICT_DECLARED_H

#include "predict/predict.h"
#include "trace/records.h"

struct sl_declared {
	const char *file;
	char *text;
	struct sl_declared_line {
		size_t number;
		bool unit;
		bool type;   /* names is one type, maybe with members: "struct queue.{head,tail}" */
		char *names; /* separated by single blanks */
	} * lines;
	size_t line_count, line_room;
	/* where they are, in one execution */
	struct sl_declared_set *sets;
	struct sl_declared_unit *units;
	size_t set_count, set_room, unit_count, unit_room;
	/* as the table of sites is asked about them, as long as that execution is analysed */
	struct sl_binder *binder;
	struct sl_bound_types *bound;
	struct sl_declared_of_type {
		char *name; /* "queue" */
		struct sl_declared_part *parts;
		size_t part_count, part_room;
	} * of_types;
	struct sl_declared_type *types; /* the same, as the analysis sees them */
	size_t type_count, type_room;
};

/* Negative and a sentence: it can't be read, or has an error. Release it in any case. */
int sl_declared_read(struct sl_declared *declared, const char *file, struct sl_err *err);

/*
 * Tells the options, by the files that the execution has loaded; they refer to it up to the next call. Negative and a sentence: there is no
 * such variable, function or type.
 */
int sl_declared_bind(struct sl_declared *declared, const struct sl_module *modules, size_t count,
		     struct sl_predict_options *options, struct sl_err *err);
void sl_declared_release(struct sl_declared *declared);

#endif
