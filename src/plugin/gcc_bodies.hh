/*
 * For gcc: functions as they were written (function_bodies.hh).
 */
#ifndef SL_PLUGIN_GCC_BODIES_HH
#define SL_PLUGIN_GCC_BODIES_HH

/* Adds the pass that examines each function before it is optimised. */
void add_code_pass(const char *plugin);

#endif
