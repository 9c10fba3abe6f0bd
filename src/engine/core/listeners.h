/*
 * What listens to an execution under control: the recorder of stories, and hashes of what was done (listen/recorder.c, listen/said.c).
 */
#ifndef SL_ENGINE_CORE_LISTENERS_H
#define SL_ENGINE_CORE_LISTENERS_H

#include "search/arena.h"

void sl_record(uint64_t value);
void sl_recorder_environment(char *const *environment); /* as the kernel has laid it out */
void sl_recorder_begin(struct sl_case *into);
void sl_recorder_end(void);
/* said.c: an execution begins, and if `kept` what it writes to the standard streams is to be had at its end */
void sl_said_begin(bool kept);
void sl_said_end(struct sl_said *said);
struct sl_setting *sl_recorder_setting(void); /* of what is recorded, from here on; NULL: nothing is */
void sl_recorder_find(struct sl_culprit *culprit, uint64_t address); /* which operation was it? */
uint32_t sl_recorder_stack(uint32_t parent, uint64_t pc);
void sl_hash_op(uint64_t value);
void sl_enabling_begin(struct sl_enablers *enablers);
void sl_enabling_end(void);
void sl_notes_begin(void); /* around an execution that is hashed */
void sl_notes_end(void);

/* The running thread performs the operation that it has announced. The value is as in struct sl_record. */
void sl_cover_operation(uint64_t value);
void sl_reel_operation(uint64_t value);

#endif
