/*
 * The strategies that a user can name. The first one is the default.
 */
#include "base/text.h"
#include "strategy/strategy.h"

/* clang-format off: one a line */
const struct sl_strategy *const sl_strategies[] = {
	&sl_strategy_portfolio,
	&sl_strategy_icb,
	&sl_strategy_dfs,
	&sl_strategy_dpor,
	&sl_strategy_pct,
	&sl_strategy_pos,
	&sl_strategy_surw,
	&sl_strategy_rf,
	&sl_strategy_rare,
	&sl_strategy_walk,
	&sl_strategy_tsa,
	&sl_strategy_random,
	NULL,
};
/* clang-format on */

/* The searches through states (--stateful); the first one is the default. */
static const struct sl_strategy *const through_states[] = {&sl_strategy_states, &sl_strategy_states_breadth};

/* These need more than options: what a change impacts, the schedule of another version, an order of operations, scripts. */
static const struct sl_strategy *const told[] = {&sl_strategy_regress, &sl_strategy_guided, &sl_strategy_directed,
						 &sl_strategy_script};

const struct sl_strategy *
sl_strategy_find(const char *name)
{
	static const struct sl_strategy *last; /* this function is called for each execution */

	if (last && sl_text_same(last->name, name))
		return last;
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		if (sl_text_same((*s)->name, name))
			return last = *s;
	for (unsigned i = 0; i < sizeof(through_states) / sizeof(through_states[0]); i++)
		if (sl_text_same(through_states[i]->name, name))
			return last = through_states[i];
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (sl_text_same(told[i]->name, name))
			return last = told[i];
	return NULL;
}

const struct sl_strategy *
sl_strategy_find_stateful(const char *order)
{
	if (!order)
		return through_states[0];
	for (unsigned i = 0; i < sizeof(through_states) / sizeof(through_states[0]); i++)
		if (sl_text_same(through_states[i]->name + sizeof("stateful-") - 1, order))
			return through_states[i];
	return NULL;
}
