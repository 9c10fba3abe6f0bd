/*
 * For gcc: the table of sites (docs/decisions/table-of-sites.md).
 */
#ifndef SL_PLUGIN_GCC_SITES_HH
#define SL_PLUGIN_GCC_SITES_HH

/*
 * To be called before anything in the function is announced: the statements that will be announced get the numbers
 * of their sites.
 */
void collect_sites(struct function *body);

/* Adds the pass that finds the calls again when all code is final, and the writing at the end. */
void add_site_passes(const char *plugin);

#endif
