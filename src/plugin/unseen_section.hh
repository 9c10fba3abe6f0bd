/*
 * The section of functions that are not to be announced: with no_sanitize("thread"), which alone does not keep code from control.
 * For tests that count outside of what is explored.
 */
#ifndef SL_PLUGIN_UNSEEN_SECTION_HH
#define SL_PLUGIN_UNSEEN_SECTION_HH

#define UNSEEN ".text.unseen"

#endif
