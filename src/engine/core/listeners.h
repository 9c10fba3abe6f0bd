/*
 * What listens to an execution under control: the recorder of stories, and hashes of what was done (engine/listen/recorder.c,
 * engine/listen/said.c).
 */
#ifndef SL_ENGINE_CORE_LISTENERS_H
#define SL_ENGINE_CORE_LISTENERS_H

#include "search/arena.h"

/* What looks at every operation. */
struct sl_listening {
	bool hashing;                /* sl_hash_op() */
	bool looping;                /* endless.c: which loop it is that does not end */
	bool enabling;               /* what enables stuck threads is noted (trace/replay/enabler.h) */
	bool comparing;              /* all operations are noted, to be compared with another execution's */
	bool tracing;                /* all operations are written down */
	bool reeling;                /* items go to the command (lane.h) */
	bool covering, covering_all; /* a criterion (covering.h); accesses to memory, too */
	bool probing;                /* livelock.c */
	bool watching;               /* the strategy wants to know what each step does (step.h) */
	uint8_t took;                /* what came of an attempt, as its item says it; 0: what was tried */
	uint64_t hash;
	uint64_t text_low, text_size; /* instrumented code: operations from elsewhere are looked at (unseen.c) */
};

void sl_record(uint64_t value);
/* What was recorded last was a compare-and-swap that failed: it has only read. `kind` says how it failed. */
void sl_record_swap_failed(enum sl_op_kind kind);
void sl_recorder_environment(char *const *environment); /* as the kernel has laid it out */
void sl_recorder_begin(struct sl_case *into);
void sl_recorder_end(void);
/* said.c: an execution begins, and if `kept` what it writes to the standard streams is to be had at its end */
void sl_said_begin(bool kept);
void sl_said_end(struct sl_said *said);
struct sl_setting *sl_recorder_setting(void); /* of what is recorded, from here on; NULL: nothing is */
void sl_recorder_find(struct sl_culprit *culprit,
		      uint64_t address); /* looks up the operation of an earlier access */
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
