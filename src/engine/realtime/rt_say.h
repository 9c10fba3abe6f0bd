/* Sentences for standard error, put together without stdio. Under the lock. */
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
void sl_say_head(const struct sleave_section *section, const char *name); /* where it is, and which schedule */
void sl_say_all(void);                                                    /* and begins anew */
void sl_say_tell(const char *how); /* the first of it to `sleave test` */
const char *sl_say_error(long error);        /* why a file can't be used: -ENOENT, … */
size_t sl_said(char *to, size_t room);       /* what was, and begins anew */
size_t sl_said_about(char *to, size_t room); /* without the head, and goes on */
void sl_say_nothing(void);                   /* begins anew */

/* "; there is no thread …; did you mean …?", or nothing; the other without "; " */
void sl_say_unknown(const struct sl_atom *atom);
void sl_say_no_thread(const char *glob);

/* Who is where. */
void sl_say_state(void);
void sl_say_running(void); /* and who is not known to wait */
/* What of the plan has not come, or was against it; false: it is all fulfilled. */
bool sl_say_unfulfilled(void);

#endif
