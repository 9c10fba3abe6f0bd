/*
 * What the readers of the table of sites share: the form that it has in memory.
 */
#ifndef SL_SOURCE_SITES_WITHIN_H
#define SL_SOURCE_SITES_WITHIN_H

#include "source/sites.h"

struct sl_sites {
	struct sl_site_unit *units;
	size_t unit_count, foreign;
	struct sl_site_call *calls; /* by address */
	size_t call_count, call_room;
	const struct sl_site_function *
		*defined; /* those with a body, by linkage name, then in the order of units */
	size_t defined_count;
};

/* Once all units are there. false: there is no memory. */
bool sl_sites_index(struct sl_sites *sites);

#endif
