/* Messages for standard error, composed without stdio. Under the lock. */
#ifndef SL_ENGINE_REALTIME_RT_SAY_H
#define SL_ENGINE_REALTIME_RT_SAY_H

#include <stdint.h>
#include "engine/realtime/rt.h"

void sl_say(const char *text);
void sl_say_many(const char *first, ...) __attribute__((sentinel)); /* up to NULL */
void sl_say_number(uint64_t number);
void sl_say_text(const char *text, size_t length);
void sl_say_runner(const struct sl_runner *runner); /* "T1 (consumer)" */
void sl_say_atom(const struct sl_atom *atom);
/* place of the section and name of the schedule */
void sl_say_head(const struct sleave_section *section, const char *name);
/* prints the message; the next one begins */
void sl_say_all(void);
void sl_say_tell(const char *how);           /* reports the first sentence to `sleave test` */
const char *sl_say_error(long error);        /* why a file can't be used: -ENOENT, … */
size_t sl_said(char *to, size_t room);       /* copies the message; the next one begins */
size_t sl_said_about(char *to, size_t room); /* copies the message without the head; the message stays */
void sl_say_nothing(void);                   /* discards the message */

/* "; there is no thread …; did you mean …?", or nothing; sl_say_no_thread() omits the "; " */
void sl_say_unknown(const struct sl_atom *atom);
void sl_say_no_thread(const char *glob);

/* The state of all threads. */
void sl_say_state(void);
void sl_say_running(void); /* the threads that are not known to wait */
/* What of the plan did not happen, or violated it; false: the plan is fulfilled. */
bool sl_say_unfulfilled(void);

#endif
