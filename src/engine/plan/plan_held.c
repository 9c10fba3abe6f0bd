/*
 * Why a plan can't go on: see plans.h.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/section/plans.h"
#include "engine/under/poison.h"

struct missing {
	char *to;
	size_t room, used;
	uint32_t count;
};

static void
note_missing(void *data, const struct sl_formula *formula)
{
	struct missing *m = data;

	if (m->count++)
		sl_text_add(m->to, m->room, &m->used, " and ");
	sl_formula_print(formula, m->to + m->used, m->room - m->used);
	m->used += sl_strlen(m->to + m->used);
}

void
sl_plan_explain_held(const struct sl_known *known, const struct sl_thread *t, char *to, size_t room, size_t *used)
{
	const struct sl_pass *p = sl_pass_of(t);
	struct missing m = {.to = to, .room = room};
	uint32_t orderings[4], n;

	n = sl_monitor_holds(known->monitor, &p->event, orderings, 4);
	sl_text_add(to, room, used, t->id ? "T" : "main");
	if (t->id)
		sl_text_add_number(to, room, used, t->id);
	sl_text_add(to, room, used, " is held at ");
	if (p->number && p->number <= SL_WORDS_MAX) {
		sl_text_add(to, room, used, E.arena->events.words[p->number - 1]);
	} else if (p->match.count) { /* start@t, end@t */
		sl_atom_print(known->plan->atoms[p->match.atoms[0]], to + *used, room - *used);
		*used += sl_strlen(to + *used);
	}
	m.used = *used;
	sl_text_add(to, room, &m.used, " until ");
	for (uint32_t i = 0; i < n && i < 4; i++)
		sl_monitor_wants(known->monitor, orderings[i], note_missing, &m);
	if (m.count) {
		*used = m.used;
	} else if (n) { /* nothing that could come would help: after e, the a of `a#* -> e` */
		sl_text_add(to, room, used, " by ");
		sl_formula_print(known->plan->orderings[orderings[0]], to + *used, room - *used);
		*used += sl_strlen(to + *used);
	}
}

void
sl_plan_add_name(const struct sl_tally *tally, char *to, size_t room, size_t *used)
{
	const char *name = tally->name;

	sl_text_add(to, room, used, "the schedule ");
	if (!name[0])
		return;
	sl_text_add(to, room, used, "\"");
	sl_text_add(to, room, used, name);
	sl_text_add(to, room, used, "\" ");
}
