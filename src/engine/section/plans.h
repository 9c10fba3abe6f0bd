/*
 * Plans of a program, and the sections of its tests. A plan is parsed at its first use and stored, because every
 * execution reaches the same section.
 */
#ifndef SL_ENGINE_SECTION_PLANS_H
#define SL_ENGINE_SECTION_PLANS_H

#include "engine/core/plan.h"
#include "sleave.h"

struct sl_known {
	struct sl_known *next;
	const char *text, *file; /* its source */
	const char *called;      /* the given name, by which two plans of equal texts may differ */
	const char *name;        /* its own name, or else the given one */
	uint32_t line;
	const struct sl_plan *plan;
	struct sl_monitor *monitor;
	uint64_t signature;
	uint32_t tally;           /* its number in the arena */
	uint32_t *needs;          /* by atom: sl_plan_needs() */
	char *words;              /* one for each atom: the object at its address has the clock of the event */
	struct sl_code *code;     /* NULL: it names no code */
	struct sl_known *sibling; /* the next plan in the same text */
	struct sl_known *more;    /* the same plan with additional orderings; NULL: not made yet */
};

bool sl_pass_wait(struct sl_pass *pass, uint64_t pc);
void sl_pass_happens(struct sl_pass *pass);
bool sl_pass_lets(const struct sl_pass *pass);
bool sl_pass_fails(const struct sl_pass *pass); /* the event belongs to an attempt that would fail */
struct sl_object *sl_plan_gate(void);
struct sl_tally *sl_plan_tally(void); /* the tally of the active plan; NULL: none is active */

/* plan_names.c: objects that the program has named */
void sl_plan_names_reset(void);
void sl_plan_names_begin(void); /* a plan begins: existing names are valid in it */
void sl_plan_names_end(void);   /* … and names given since then are dropped, as on real threads */
const char *sl_plan_object_name(const void *object); /* NULL: it has none */
void sl_plan_names_keep(void);

void sl_plan_put_in_order(const struct sl_known *known,
			  const struct sl_match *match);     /* match: the event that has happened */
void sl_plan_follow(struct sl_known *plan, bool infeasible); /* activates the plan */

/* Notes for the trace that the execution is in this section, with this schedule; NULL: in none. */
void sl_section_note(const struct sleave_section *section, const struct sl_known *plan);

#endif
