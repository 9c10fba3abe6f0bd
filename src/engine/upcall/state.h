/*
 * The state of the program in the middle of an execution: how it is identified (state.c), and how it is saved and
 * restored (checkpoint.c). For the stateful search (strategy/states.c).
 *
 * An identity is a hash of 128 bits over everything on which the rest of an execution can depend: memory that
 * differs from the start, the heap, the stacks and registers of all threads, their announced operations,
 * synchronisation objects. The past (clocks, numbers of operations, past lock operations) is left out. Some
 * operations change state in the kernel or in tables that the identity does not include; from then on the state is
 * *opaque*: it equals no other state, and is not saved.
 *
 * A search that does not run every path can't detect races by happens-before. So in a stateful search
 * happens-before is off; instead
 *
 * - data that two threads access, one of them writing, without a common lock, is a point of choice, even if the
 * accesses were in different executions;
 * - two threads that are about to perform such accesses, one of them not atomic, race.
 */
#ifndef SL_ENGINE_UPCALL_STATE_H
#define SL_ENGINE_UPCALL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_object;

struct sl_identity {
	uint64_t a, b;
};

/* Adds bytes; the order of the calls does not matter. */
void sl_identity_add(struct sl_identity *identity, uint64_t key, const void *bytes, size_t size);

/* Stores the identity of the state at the current choice; false: it is opaque. */
bool sl_state_identify(uint64_t id[2]);
bool sl_state_is_identified(void); /* whether that was called at this choice */
void sl_state_keep_memory(void);   /* saves the memory that differs, in that case */
void sl_state_reset(void);
void sl_state_operation(void);      /* an operation is about to be performed, which may make the state opaque */
void sl_state_opaque(void);         /* makes the state opaque */
void sl_state_end(void);            /* the execution ends here without a finding */
void sl_state_look_for_races(void); /* looks for races among announced operations */

/* Notes which threads access which data, over all executions. */
void sl_share(uint64_t address, size_t size, unsigned flags);
void sl_share_object(struct sl_object *object);
void sl_shares_forget(void);

/* Saves the state at the current choice under this name. Returns true when the engine has restored it. */
bool sl_checkpoint_keep(uint64_t name);
bool sl_checkpoint_has(uint64_t name);
void sl_checkpoint_drop(uint64_t name);
void sl_checkpoints_drop_all(void);
bool sl_checkpoint_wanted(void); /* in the host: whether sl_checkpoint_keep() requests a state to be saved */
void sl_checkpoint_make(void);   /* … and saves it */
void sl_checkpoint_restore(uint64_t name);       /* in the host: replaces the initial state of an execution */
void sl_checkpoint_bytes(void *at, size_t size); /* called by the functions below: adds bytes to the saved state */
uint32_t sl_checkpoint_sequence(void);           /* the execution in which the restored state was saved */

/* State of the parts of the engine. */
void sl_world_differences(void (*function)(void *at, const void *start, size_t size));
void sl_heap_identify(struct sl_identity *identity);
void sl_memory_keep(void);
bool sl_heap_is_huge(void); /* it has blocks that are too large to hash */
/* Thread-local storage: its address, its initial contents, and the dynamic linker's table of it. */
struct sl_storage {
	char *bytes;
	const char *pristine;
	size_t size;
	void *table;
	size_t table_size;
};
struct sl_storage sl_carrier_storage(uint32_t slot);
void sl_carriers_keep(void);
void sl_carriers_kept(void); /* the state was restored: adapts to it */
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
bool sl_world_has_moved(void); /* whether positions of files have changed */

#endif
