/*
 * Plans that a program has met, and the sections of its tests. A plan is parsed when it is first met, and kept: the same
 * section comes again in every execution.
 */
#ifndef SL_ENGINE_SECTION_PLANS_H
#define SL_ENGINE_SECTION_PLANS_H

#include "engine/core/plan.h"
#include "sleave.h"

struct sl_known {
	struct sl_known *next;
	const char *text, *file; /* where it is written */
	const char *called;      /* what that is called: two may be the same but for this */
	const char *name;        /* its own, or else that */
	uint32_t line;
	const struct sl_plan *plan;
	struct sl_monitor *monitor;
	uint64_t signature;
	uint32_t tally;           /* in the arena */
	uint32_t *needs;          /* of each atom: sl_plan_needs() */
	char *words;              /* one for each atom: its address stands for what happened before it */
	struct sl_code *code;     /* NULL: it names nothing of the program's code */
	struct sl_known *sibling; /* written in the same text, after it */
	struct sl_known *more;    /* the same, with the orderings that were asked for beside it; NULL: not yet */
};

bool sl_pass_wait(struct sl_pass *pass, uint64_t pc);
void sl_pass_happens(struct sl_pass *pass);
bool sl_pass_lets(const struct sl_pass *pass);
bool sl_pass_fails(const struct sl_pass *pass); /* an attempt that would */
struct sl_object *sl_plan_gate(void);
struct sl_tally *sl_plan_tally(void); /* of the plan that counts; NULL: none does */

/* plan_names.c: objects that the program has named */
void sl_plan_names_reset(void);
void sl_plan_names_begin(void); /* a plan does: what has a name has it there, too */
void sl_plan_names_end(void);   /* … and those that were given since then are forgotten, as on real threads */
const char *sl_plan_object_name(const void *object); /* NULL: it has none */
void sl_plan_names_keep(void);

void sl_plan_put_in_order(const struct sl_known *known,
			  const struct sl_match *match);     /* the event that has happened */
void sl_plan_follow(struct sl_known *plan, bool infeasible); /* from here on it counts */

/* For the trace: it is in that section from here on, with that schedule; NULL: in none. */
void sl_section_note(const struct sleave_section *section, const struct sl_known *plan);

#endif
