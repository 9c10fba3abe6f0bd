/*
 * The program's libraries (libraries.c).
 */
#ifndef SL_ENGINE_INTERPOSE_LIBRARIES_H
#define SL_ENGINE_INTERPOSE_LIBRARIES_H

#include <stdbool.h>
#include <stdint.h>

void sl_libraries_note(void);       /* those that were there at the start: places have names */
bool sl_libraries_had(uint64_t pc); /* is it code of one of these? */
bool sl_libraries_is_instrumented(uint64_t pc);
void sl_libraries_note_more(void);  /* and those that an execution loaded … */
void sl_libraries_unload(void);     /* … which go with it */
uint64_t sl_place_hash(uint64_t pc);

#endif
