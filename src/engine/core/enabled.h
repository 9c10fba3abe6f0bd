/*
 * The enabled threads: the list from which the strategy chooses (E.ready.ops), kept up to date with the objects that
 * threads wait for. Used by the scheduler alone; other parts call sl_object_changed() and sl_thread_enable().
 */
#ifndef SL_ENGINE_CORE_ENABLED_H
#define SL_ENGINE_CORE_ENABLED_H

#include <stdbool.h>
#include <stdint.h>

struct sl_thread;
struct sl_object;
struct sl_op;
struct sl_kin;

#define SL_PENDING_MAX 64

/* The enabled threads, and the objects and threads to update before the next choice. */
struct sl_ready {
	const struct sl_op **ops; /* [0, prompt) ordinary, [prompt, count) late */
	uint32_t count, prompt;
	uint32_t *places;   /* by id: position in ops, or SL_NOWHERE */
	struct sl_kin *kin; /* by id */
	uint32_t *changed;  /* ids of threads that began, ended or announced since the last choice of a thread */
	uint32_t changed_count;
	uint32_t noting; /* the number of that choice; never 0 */
	uint32_t pending_count;
	struct sl_object *pending[SL_PENDING_MAX]; /* objects that have changed since the last choice */
};

/* Reports to the strategy, with the next choice, that the thread has changed. */
void sl_thread_changed(struct sl_thread *thread);
/* Puts the thread's operation among the ordinary ones, among the late ones, or into neither part. */
void sl_enlist(struct sl_thread *thread, bool enabled, bool late);
/* Returns whether the announced operation can be performed in the object's current state. */
bool sl_can_go(const struct sl_thread *thread);
bool sl_could_go(const struct sl_thread *thread); /* … ignoring schedules and interruptions */
/* Enlists the thread accordingly. */
void sl_update(struct sl_thread *thread);
/* The states of an object for which a waiting operation may wait. */
enum { SL_OPEN_FREE = 1, SL_OPEN_UNREAD = 2, SL_OPEN_POSITIVE = 4, SL_OPEN_TO_READERS = 8 };
unsigned sl_openness(const struct sl_object *object);
/* Updates the waiters of an object, or of all objects that have changed. */
void sl_publish(struct sl_object *object);
void sl_publish_all(void);

#endif
