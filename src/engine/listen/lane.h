/*
 * Recording under control: writes operations, item by item, into one lane of a reel (trace/lane/reel.h), in the
 * order in which they happen. Called by the functions that announce and perform operations, if E.listen.reeling is
 * set.
 */
#ifndef SL_ENGINE_LISTEN_LANE_H
#define SL_ENGINE_LISTEN_LANE_H

#include "engine/core/engine.h"

bool sl_reel_open(const char *path);
void sl_reel_close(void); /* after that another one may be opened */

struct sl_reel;
void sl_reel_begin_here(
	struct sl_reel *reel); /* copy_beginning.c: notes the addresses of arguments and environment */

/* An execution begins: sets E.listen.reeling if it is recorded. */
void sl_reel_begin(void);

/* The running thread performs the operation that it has announced. The value is as in struct sl_record. */
void sl_reel_call(uint64_t function, uint64_t pc);
void sl_reel_return(void);
void sl_frames_leave(uint64_t stack); /* access.c: functions whose stack is below return */
void sl_reel_branch(uint64_t pc);
void sl_reel_name(const struct sl_thread *thread); /* the thread was named */
void sl_reel_process(
	bool instead); /* a process that is not recorded was started, or (instead) replaces this one */

#endif
