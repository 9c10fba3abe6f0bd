/*
 * The names that the program has used, in any execution of the search: of events, threads and objects. A name in a schedule that
 * the program never used is a mistake, which the verdict tells: it must not pass as a schedule that was kept to.
 */
#ifndef SL_ENGINE_SECTION_VOCABULARY_H
#define SL_ENGINE_SECTION_VOCABULARY_H

#include "schedule/schedule.h"
#include "search/arena.h"

/* The number of an event's name, from 1, as operations have it; 0: there is no room for more. */
uint64_t sl_plan_name_of(const char *name);
uint64_t sl_vocabulary_thread(const char *name); /* … of a thread's */
uint64_t sl_vocabulary_object(const char *name); /* … of an object's */
/* That name was met in a run of the plan; 0: none was. */
void sl_vocabulary_met(uint64_t *bits, uint64_t number);

/* At the end of a run of the plan, with so many threads: does it name something that no execution has come to yet? */
void sl_vocabulary_look(struct sl_tally *tally, const struct sl_plan *plan, uint32_t threads);

#endif
