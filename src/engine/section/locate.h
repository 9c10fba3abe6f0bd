/*
 * Finds the code and data that a schedule names, by asking the `sleave` command, which can read debug information.
 */
#ifndef SL_ENGINE_SECTION_LOCATE_H
#define SL_ENGINE_SECTION_LOCATE_H

#include "schedule/binding.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Fills `bindings` (SL_BINDINGS_MAX of them) for all plans in the text. False: `error` has a sentence. May be
 * called under control; it calls no function of libc.
 */
bool sl_bind(const char *text, struct sl_binding *bindings, uint32_t *count, char *error, size_t room);

/*
 * Finds names of addresses: "c555555555234 d555555558010", of code (return addresses) and of data. The answer has
 * a line for each, which is empty if there is no name. False: there is no answer.
 */
bool sl_name(const char *addresses, char *answer, size_t room);

#endif
