/*
 * The state of the program in the middle of an execution: how it is recognised (state.c) and how it is kept and
 * brought back (checkpoint.c). For searches through states instead of executions (strategy/states.c).
 *
 * An identity is 128 bits made of all that the rest of an execution can depend on: memory that differs from the
 * start, the heap, the stacks and registers of all threads, what each is about to do, synchronisation objects. What
 * belongs to the past alone (clocks, numbers of operations, past lock operations) is left out. Some of what a program
 * can do has its state elsewhere, in the kernel or in tables that are not looked at; from then on the state is
 * *opaque*: never the same as another, and not kept.
 *
 * A search that does not run every path can't tell races by what happened before what. So while states are looked for,
 * happens-before is off, and instead
 *
 *	- data that two threads touch, one of them writing, without a lock that is always held, is a point of choice,
 *	  even if they touched it in different executions;
 *	- two threads that are about to do such a thing, one of them not atomically, race.
 */
#ifndef SL_ENGINE_CORE_STATE_H
#define SL_ENGINE_CORE_STATE_H

#include "engine/core/engine.h"

struct sl_identity {
	uint64_t a, b;
};

/* Adds something: order does not matter between calls. */
void sl_identity_add(struct sl_identity *identity, uint64_t key, const void *bytes, size_t size);

/* Of the state at the choice under way; false: it is opaque. */
bool sl_state_identify(uint64_t id[2]);
bool sl_state_is_identified(void); /* has it been, at this choice? */
void sl_state_keep_memory(void);   /* then this is what differs */
void sl_state_reset(void);
void sl_state_operation(void);      /* one is about to be performed: is its state known? */
void sl_state_opaque(void);         /* something has happened that is not */
void sl_state_end(void);            /* the execution ends here, and nothing was found */
void sl_state_look_for_races(void); /* among what is announced */

/* Which threads touch what, over all executions. */
void sl_share(uint64_t address, size_t size, unsigned flags);
void sl_share_object(struct sl_object *object);
void sl_shares_forget(void);

/* Keeps the state at the choice under way under this name. True: the engine has come back to it. */
bool sl_checkpoint_keep(uint64_t name);
bool sl_checkpoint_has(uint64_t name);
void sl_checkpoint_drop(uint64_t name);
void sl_checkpoints_drop_all(void);
bool sl_checkpoint_wanted(void);                 /* in the host: has sl_checkpoint_keep() asked for it? */
void sl_checkpoint_make(void);                   /* … then this is it */
void sl_checkpoint_restore(uint64_t name);       /* in the host, over the beginning of an execution */
void sl_checkpoint_bytes(void *at, size_t size); /* for the functions below: this belongs to the state */
uint32_t sl_checkpoint_sequence(void);           /* of the execution in which what is restored was kept */

/* What the parts of the engine have. */
void sl_world_differences(void (*function)(void *at, const void *start, size_t size));
void sl_heap_identify(struct sl_identity *identity);
void sl_memory_keep(void);
bool sl_heap_is_huge(void); /* it has blocks that are too large to look at */
/* Thread-local storage: where, and as it was at birth; the dynamic linker's table of it. */
struct sl_storage {
	char *bytes;
	const char *pristine;
	size_t size;
	void *table;
	size_t table_size;
};
struct sl_storage sl_carrier_storage(uint32_t slot);
void sl_carriers_keep(void);
void sl_carriers_kept(void); /* brought back: make it fit */
void sl_objects_identify(struct sl_identity *identity);
void sl_objects_keep(void);
void sl_objects_kept(void);
void sl_time_identify(struct sl_identity *identity);
void sl_time_keep(void);
void sl_threads_keep(void);
void sl_threads_kept(void);
void sl_token_keep(void);
void sl_token_identify(struct sl_identity *identity);
void sl_hidden_keep(void);
void sl_hidden_identify(struct sl_identity *identity);
bool sl_mappings_are_there(void);
bool sl_channels_are_touched(void);
bool sl_world_has_moved(void); /* positions of files */

#endif
