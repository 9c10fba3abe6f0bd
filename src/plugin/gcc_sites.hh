/*
 * For gcc: the table of sites (docs/decisions/table-of-sites.md).
 */
#ifndef SL_PLUGIN_GCC_SITES_HH
#define SL_PLUGIN_GCC_SITES_HH

/* Before anything is announced in the function: each statement that will be gets its site's number. */
void collect_sites(struct function *body);

/* The pass that finds the calls again when all code is final, and the writing at the end. */
void add_site_passes(const char *plugin);

#endif
