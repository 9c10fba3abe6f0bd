/*
 * The prelude: what the program does before that run of a section which is to be explored (sl_config.visit.number), if it can't be
 * explored where it stands because threads that the program has made before are running (inplace.c). Then the program begins
 * anew for each execution, under control, and comes to the section in one way, which is the same each time: no strategy is
 * asked, and nothing of it is in the schedule. From there on everything is as usual, until the run of the section ends.
 */
#ifndef SL_ENGINE_SECTION_PRELUDE_H
#define SL_ENGINE_SECTION_PRELUDE_H

#include "engine/core/engine.h"

void sl_prelude_begin(void); /* an execution begins, if it has one */
void sl_prelude_end(void);   /* the run of the section begins */


#endif
