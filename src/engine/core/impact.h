/*
 * Operations at places that a change of the program impacts (struct sl_impact): the scheduler labels them before it asks
 * the strategy.
 */
#ifndef SL_ENGINE_CORE_IMPACT_H
#define SL_ENGINE_CORE_IMPACT_H

#include "engine/core/engine.h"

extern bool sl_impact_known __attribute__((visibility("hidden"))); /* some code is impacted */

void sl_impact_begin(void); /* to be called when the addresses of the files are known */

/* Returns SL_IMPACT_… of the call with this return address. */
uint8_t sl_impact_of(uint64_t pc);

/* Each kind has two adjacent flags: for the place, and for the place or one of its callers. */
static inline uint16_t
sl_impact_spread(uint32_t kinds)
{
	kinds = (kinds | kinds << 2) & 0x33; /* four bits: a zero between each two */
	return (uint16_t)((kinds | kinds << 1) & 0x55);
}

static inline void
sl_impact_label(struct sl_thread *t)
{
	uint32_t here = sl_impact_of(t->op.pc), under = here;

	if (t->stack.depth)
		under |= t->kept.frames[t->stack.depth - 1].impact;
	t->op.flags &= (uint16_t)~SL_OP_IMPACTED;
	/* an access to a member has no flag for callers */
	t->op.flags |=
		(uint16_t)((sl_impact_spread(here) | (sl_impact_spread(under & 7) << 1)) * SL_OP_IMPACTED_CLASS);
}

#endif
