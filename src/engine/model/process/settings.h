/*
 * Settings that libc or the kernel stores for the process, or for a thread as seen by others. A word stands for
 * each, which calls that change or read it access. An unordered pair is not a data race, but both orders are
 * tried.
 */
#ifndef SL_ENGINE_MODEL_PROCESS_SETTINGS_H
#define SL_ENGINE_MODEL_PROCESS_SETTINGS_H

#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"

/* One shadow cell each. */
struct sl_process_settings {
	uint64_t limits, concurrency, default_attributes, handlers_of_exit, numbers_of_keys, ends_of_keys,
		time_zone, libraries, keys_of_system_v;
	/* Marks for settings that some execution has changed: until then reading them costs nothing. */
	uint64_t default_attributes_change, joinable_threads_change;
	uint64_t action_on_signal[SIGNALS + 1];
	uint64_t flags_of_descriptor[SL_DESCRIPTORS_MAX];
	uint64_t thread[SL_THREADS_MAX];          /* its name */
	uint64_t scheduling[SL_THREADS_MAX];      /* nice value, priority, … */
	uint64_t joinable_thread[SL_THREADS_MAX]; /* joining and detaching it */
};
extern struct sl_process_settings process_settings __attribute__((visibility("hidden")));

/* The running thread is about to read or change the setting (SL_OP_READS, SL_OP_WRITES). */
void sl_meet(const uint64_t *word, unsigned flags, uint64_t pc);
/* The same as a part of an announced operation, which is a point if sl_settings_marked(). */
void sl_meet_silently(const uint64_t *word, unsigned flags, uint64_t pc);
bool sl_settings_marked(const uint64_t *word);
/* Some thread changes the setting: from the next execution on sl_settings_change() of this word is true. */
void sl_settings_note_change(const uint64_t *word);
bool sl_settings_change(const uint64_t *word);
bool sl_settings_has(uint64_t address);

/* Stores the attributes that the program has set for threads created without attributes; others are unchanged. */
void sl_settings_attributes(size_t *stack, int *detached, size_t *guard);
void sl_settings_exit(uint64_t pc); /* the program ends */
void sl_settings_save(void);
void sl_settings_reset(void);

#endif
