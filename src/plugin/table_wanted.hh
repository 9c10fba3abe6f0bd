/*
 * Is a table of sites written? Not with SLEAVE_TABLE=off in the environment: bench/run compares with that.
 */
#ifndef SL_PLUGIN_TABLE_WANTED_HH
#define SL_PLUGIN_TABLE_WANTED_HH

#include <cstdlib>
#include <cstring>

static inline bool
is_table_wanted()
{
	const char *wish = getenv("SLEAVE_TABLE");

	return !wish || strcmp(wish, "off") != 0;
}

#endif
