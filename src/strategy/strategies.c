/*
 * The strategies that a user can name. The first one is the default.
 */
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

/* Inside the program under test strcmp() is the program's. */
static bool
same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const struct sl_strategy *
sl_strategy_find(const char *name)
{
	static const struct sl_strategy *last; /* it is asked for in each execution */

	if (last && same(last->name, name))
		return last;
	for (const struct sl_strategy *const *s = sl_strategies; *s; s++)
		if (same((*s)->name, name))
			return last = *s;
	if (same(name, sl_strategy_states.name))
		return &sl_strategy_states;
	return same(name, sl_strategy_states_breadth.name) ? &sl_strategy_states_breadth : NULL;
}
