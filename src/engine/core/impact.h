/*
 * Operations at places that a change of the program impacts (struct sl_impact): the scheduler labels them before it asks
 * the strategy.
 */
#ifndef SL_ENGINE_CORE_IMPACT_H
#define SL_ENGINE_CORE_IMPACT_H

#include "engine/core/engine.h"

extern bool sl_impact_known __attribute__((visibility("hidden"))); /* some code is impacted */

void sl_impact_begin(void); /* to be called when the addresses of the files are known */

/* SL_IMPACT_… of the call that returns there, which is marked as reached. */
uint8_t sl_impact_of(uint64_t pc);

/* Where an address of a file of struct sl_impact was loaded; 0: nowhere. */
uint64_t sl_impact_loaded(uint32_t file, uint64_t at);

/* The byte of an address; NULL: it is in no file that is impacted. */
uint8_t *sl_impact_at(uint64_t address);
/* An execution has come there. */
void sl_impact_note(uint8_t *kinds);

/* The kinds of that call and of what its function was inlined into. */
static inline uint32_t
sl_impact_under(uint64_t pc)
{
	uint32_t kinds = sl_impact_of(pc);

	return (kinds | kinds >> SL_IMPACT_AROUND) & 7;
}

/* Each kind has two flags next to each other: of the place, and of it or what called it. */
static inline uint16_t
sl_impact_spread(uint32_t kinds)
{
	kinds = (kinds | kinds << 2) & 0x33; /* four bits: a zero between each two */
	return (uint16_t)((kinds | kinds << 1) & 0x55);
}

static inline void
sl_impact_label(struct sl_thread *t)
{
	uint32_t here = sl_impact_of(t->op.pc), under = here | here >> SL_IMPACT_AROUND;

	if (t->stack.depth)
		under |= t->kept.frames[t->stack.depth - 1].impact;
	t->op.flags &= (uint16_t)~SL_OP_IMPACTED;
	/* of an access to a member there is no "called from" */
	t->op.flags |= (uint16_t)((sl_impact_spread(here & 15) | (sl_impact_spread(under & 7) << 1)) *
				  SL_OP_IMPACTED_CLASS);
}

#endif
