/*
 * The prelude: the part of the program before the explored run of a section (sl_config.visit.number), if that
 * can't be explored in place because threads of the program are already running (inplace.c). Then each execution
 * runs the program from its start, under control, and reaches the section always in the same way: no strategy is
 * asked, and the schedule does not include it. From there on the execution is an ordinary one, until the run of
 * the section ends.
 */
#ifndef SL_ENGINE_SECTION_PRELUDE_H
#define SL_ENGINE_SECTION_PRELUDE_H

#include "engine/core/engine.h"

void sl_prelude_begin(void); /* an execution begins, if it has one */
void sl_prelude_end(void);   /* the run of the section begins */


#endif
