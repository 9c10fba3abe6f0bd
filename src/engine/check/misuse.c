/*
 * Misuse of synchronisation objects: behaviour that POSIX leaves undefined and that a real library accepts. The
 * messages are for report/story/heap_error.c, in which % stands for the object, @ for the thread of the earlier
 * operation.
 *
 * In a destroyed object a word that the engine does not use is changed, so that a later use is detected, and so
 * that memory which meanwhile has another object (an assigned static initialiser, another kind of object) is not
 * mistaken for it.
 */
#include "engine/core/misuse.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/core/life.h"
#include "engine/under/poison.h"

#define GONE 0xd5ea1d5au

static void
fill(struct sl_finding *f, const char *message, uint64_t object, uint64_t pc, uint64_t earlier,
     enum sl_op_kind kind)
{
	uint64_t hash = 0;

	*f = (struct sl_finding){.kind = SL_FINDING_MISUSE, .object = object, .culprit_count = 1};
	sl_culprit_fill(&f->culprits[0], pc);
	sl_text_copy(f->message, sizeof(f->message), message);
	for (const char *c = f->message; *c; c++)
		hash = sl_mix(hash + (unsigned char)*c);
	if (earlier) {
		struct sl_culprit *c = &f->culprits[f->culprit_count++];

		*c = (struct sl_culprit){.thread = (uint32_t)(earlier >> 48),
					 .pc = earlier & ((1ul << 48) - 1),
					 .kind = (uint8_t)kind};
		if (E.listen.tracing && c->pc)
			sl_recorder_find(c, object);
	}
	f->signature = sl_mix(sl_place_hash(pc) ^ hash);
}

void
sl_misuse(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind)
{
	struct sl_finding f;

	if (E.arena->config.misuse == SL_RACES_OFF)
		return;
	fill(&f, message, object, pc, earlier, kind);
	sl_found_error(&f, E.arena->config.misuse);
}

void
sl_misuse_warn(const char *message, uint64_t object, uint64_t pc, uint64_t earlier, enum sl_op_kind kind)
{
	struct sl_finding f;

	if (E.arena->config.misuse == SL_RACES_OFF)
		return;
	fill(&f, message, object, pc, earlier, kind);
	sl_warn(&f);
}

/* ---- destroyed and uninitialised objects ---- */

void
sl_misuse_destroy(struct sl_object *o, uint32_t *word, uint64_t pc)
{
	sl_life_end(o, pc);
	sl_object_forget(o);
	o->taken = sl_by(pc);
	if (E.arena->config.misuse != SL_RACES_OFF)
		*word = GONE;
}

void
sl_misuse_check(struct sl_object *o, const uint32_t *word, bool sane, uint64_t pc)
{
	bool gone = *word == GONE && E.arena->config.misuse != SL_RACES_OFF;

	if (unlikely(o->fresh))
		sl_life_used(o, pc);
	if (likely(sane && !gone))
		return;
	if (gone)
		sl_misuse("uses %, which was destroyed by @", o->address, pc, o->taken, SL_DESTROY);
	else
		sl_misuse("uses %, which was never initialised", o->address, pc, 0, 0);
}

/* ---- ends ---- */

/* A thread, or the program, ends. */
void
sl_misuse_held(struct sl_object *o, struct sl_thread *t)
{
	sl_misuse_warn(t->alive && !t->ends.exiting ? "ends the program with % locked" : "ends with % locked",
		       o->address, t->op.pc, o->taken, SL_MUTEX_LOCK);
}

void
sl_misuse_exit(uint64_t pc)
{
	struct sl_thread *t = E.current;

	if (E.arena->config.misuse == SL_RACES_OFF)
		return;
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *other = &E.threads[i];

		/* the thread's current place depends on the schedule, its place of creation does not */
		if (other != t && other->alive && !other->born.agent && !other->idle && other->id)
			sl_misuse_warn("ends the program while @ is still running", 0, pc,
				       (uint64_t)other->id << 48 | (other->born.pc & ((1ul << 48) - 1)),
				       SL_CREATE);
	}
	if (t->locks_held)
		sl_objects_each(sl_misuse_held, t);
}
