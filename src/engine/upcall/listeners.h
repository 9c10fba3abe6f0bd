/*
 * Listeners to an execution under control: the recorder of stories, hashes of the operations, and the output
 * (engine/listen/recorder.c, engine/listen/said.c).
 */
#ifndef SL_ENGINE_UPCALL_LISTENERS_H
#define SL_ENGINE_UPCALL_LISTENERS_H

#include "search/arena.h"

/* Which listeners are on; they see every operation. */
struct sl_listening {
	bool hashing;   /* sl_hash_op() */
	bool looping;   /* endless.c looks for the loop that does not end */
	bool enabling;  /* operations that enable stuck threads are noted (trace/replay/enabler.h) */
	bool comparing; /* all operations are noted for the comparison with another execution */
	bool tracing;   /* all operations are recorded */
	bool reeling;   /* items go to the command (lane.h) */
	bool valued;    /* … with values (sl_config.values) */
	/* a criterion measures coverage (covering.h); it sees accesses to memory, too */
	bool covering, covering_all;
	bool probing;  /* livelock.c */
	bool watching; /* the strategy sees what each step does (step.h) */
	bool ordering; /* a predicted order of operations is looked for (engine/check/atomicity.c) */
	uint8_t took;  /* the kind of item for the result of an attempt; 0: the kind that was tried */
	uint64_t hash;
	uint64_t text_low, text_size; /* instrumented code: operations from elsewhere are examined (unseen.c) */
};

void sl_record(uint64_t value);
/*
 * The last recorded operation was a compare-and-swap that failed, so that it has only read. `kind` says how it
 * failed.
 */
void sl_record_swap_failed(enum sl_op_kind kind);
void sl_recorder_environment(char *const *environment); /* in the kernel's layout */
void sl_recorder_begin(struct sl_case *into);
void sl_recorder_end(void);
/* said.c: an execution begins; kept: what it writes to the standard streams is available at its end */
void sl_said_begin(bool kept);
void sl_said_end(struct sl_said *said);
/* of the recorded execution from here on; NULL: nothing is recorded */
struct sl_setting *sl_recorder_setting(void);
void sl_recorder_find(struct sl_culprit *culprit,
		      uint64_t address); /* looks up the operation of an earlier access */
uint32_t sl_recorder_stack(uint32_t parent, uint64_t pc);

/* A file was mapped there: the story names it. */
void sl_recorder_mapped(uint64_t address, uint64_t size, int fd, uint64_t offset);
void sl_hash_op(uint64_t value);
void sl_atomicity_begin(void); /* an execution begins */
void sl_atomicity_note(void);
void sl_enabling_begin(struct sl_enablers *enablers);
void sl_enabling_end(void);
void sl_notes_begin(void); /* around an execution that is compared */
void sl_notes_end(void);

/* The running thread performs the operation that it has announced. The value is as in struct sl_record. */
void sl_cover_operation(uint64_t value);
void sl_reel_operation(uint64_t value);
/* With E.listen.valued. What the last write of the running thread has written; to be called before another thread goes on. */
void sl_reel_settle(void);
void sl_reel_kin(uint32_t thread, uint32_t parent, uint64_t path); /* there is a new thread */
void sl_reel_beyond(unsigned what); /* enum sl_beyond */
void sl_reel_pending(void); /* the execution ends */
void sl_reel_count(uint64_t object, uint64_t count); /* of a semaphore, at first; of a barrier */
void sl_reel_asked(enum sl_choice_kind kind, unsigned count, uint32_t answer);

#endif
