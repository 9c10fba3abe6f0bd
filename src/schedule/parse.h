/*
 * The interface between the parser, the checks and the printer.
 */
#ifndef SL_SCHEDULE_PARSE_H
#define SL_SCHEDULE_PARSE_H

#include "schedule/lex.h"
#include "schedule/schedule.h"

#define SL_ATOMS_MAX 512      /* of one plan: lists of them are kept on the stack */
#define SL_ORDERINGS_MAX 4096 /* of one plan: each is compared with each */
#define SL_DEPTH_MAX 100      /* of parentheses: the parser calls itself */
#define SL_HEIGHT_MAX 200     /* of a formula: walking it is recursive */
#define SL_NAMES_IN_BRACKETS 60

/* The words of kinds, as in `lock:name`; NULL for NAMED and LINE. */
extern const char *const sl_kind_words[SL_EVENT_KINDS];

static inline bool
sl_kind_has_target(enum sl_event_kind kind)
{
	return kind >= SL_EVENT_ENTER && kind != SL_EVENT_LINE;
}

static inline bool
sl_kind_is_thread(enum sl_event_kind kind)
{
	return kind >= SL_EVENT_START && kind <= SL_EVENT_UNBLOCK;
}

/* [x]: a name alone may be a thread's. */
static inline bool
sl_maybe_thread(const struct sl_formula *f)
{
	return f->kind == SL_FORMULA_BLOCKED_EVENT && f->atom && f->atom->kind == SL_EVENT_NAMED &&
	       !f->atom->object && !f->atom->thread && !f->atom->occurrence;
}

static inline enum sl_value
sl_value_and(enum sl_value a, enum sl_value b)
{
	return a == SL_FALSE || b == SL_FALSE ? SL_FALSE : a == SL_OPEN || b == SL_OPEN ? SL_OPEN : SL_TRUE;
}

static inline enum sl_value
sl_value_or(enum sl_value a, enum sl_value b)
{
	return a == SL_TRUE || b == SL_TRUE ? SL_TRUE : a == SL_OPEN || b == SL_OPEN ? SL_OPEN : SL_FALSE;
}

static inline enum sl_value
sl_value_not(enum sl_value a)
{
	return a == SL_OPEN ? SL_OPEN : a == SL_TRUE ? SL_FALSE : SL_TRUE;
}

/* ---- inside the parser ---- */

struct sl_node {
	struct sl_node *next;
	void *item;
};

struct sl_list {
	struct sl_node *first, **last;
	uint32_t count;
};

/* A place in the text, for the formatter. */
enum sl_mark_kind { SL_MARK_COMMENT, SL_MARK_ORDERING, SL_MARK_COMMA, SL_MARK_OPEN, SL_MARK_CLOSE };

struct sl_mark {
	struct sl_mark *next; /* by place */
	enum sl_mark_kind kind;
	struct sl_spot from, to;
	const struct sl_formula *ordering;
	const struct sl_plan *plan; /* OPEN */
	bool last;                  /* the last ordering of its plan */
};

struct sl_parser {
	struct sl_mark **marks; /* NULL: they are not needed */
	struct sl_lexer lex;
	struct sl_pool *pool;
	struct sl_plan *plan;
	struct sl_list atoms, orderings;
	struct sl_spot end; /* of the last token that was taken */
	unsigned depth;
};

void *sl_pool_take(struct sl_pool *pool, size_t size);
/* sl_plan_parse(), and the marks if they are wanted. */
struct sl_plan *sl_parse(const char *text, size_t length, struct sl_pool *pool, struct sl_mark **marks,
			 struct sl_complaint *complaint);

/* Returns NULL, with a complaint, if there is no memory left. */
void *sl_parser_take(struct sl_parser *p, size_t size);
bool sl_parser_append(struct sl_parser *p, struct sl_list *list, void *item);
/* Complains that something else was expected. Returns NULL. */
void *sl_parser_expected(struct sl_parser *p, const char *what);
/* The text of the current token, without quotes. */
char *sl_parser_text(struct sl_parser *p);
void sl_parser_next(struct sl_parser *p);
struct sl_atom *sl_parser_atom(struct sl_parser *p);
bool sl_parser_thread(struct sl_parser *p, const char **thread);

/* Looks for errors in a plan that has no syntax error; the memory is for the time of the call. */
bool sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint);

#endif
