/*
 * The program's libraries (libraries.c).
 */
#ifndef SL_ENGINE_INTERPOSE_LIBRARIES_H
#define SL_ENGINE_INTERPOSE_LIBRARIES_H

#include <stdbool.h>
#include <stdint.h>

void sl_libraries_note(void); /* notes the libraries that are loaded at the start, so that their places have names */
bool sl_libraries_had(uint64_t pc); /* whether the place is in one of these */
bool sl_libraries_is_instrumented(uint64_t pc);
void sl_libraries_note_more(void); /* notes the libraries that an execution has loaded … */
void sl_libraries_unload(void);    /* … which are unloaded at its end */
uint64_t sl_place_hash(uint64_t pc);

#endif
