/*
 * Keys of thread-specific data. The real keys are used, but the engine calls their destructors, and using a key
 * that does not exist is misuse.
 *
 * Using a key is not a point: only the thread itself sees its value. Deleting one may come before or after another
 * thread's use. If the last use of each thread (of any key, which is sufficient and needs one number) does not
 * happen before it, the key is marked, and from the next execution on its uses and its end are points.
 */
#include <limits.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/core/misuse.h"
#include "engine/upcall/state.h"
#include "engine/entry/interpose.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

enum state { NEVER, LIVE, DELETED };

struct key {
	void (*destructor)(void *);
	uint64_t by; /* sl_by() of its deletion */
	enum state state;
};

static struct key keys[PTHREAD_KEYS_MAX + 1]; /* the last one stands for all invalid numbers */
static struct key saved[PTHREAD_KEYS_MAX];
static unsigned used, saved_used;

void
sl_keys_save(void)
{
	saved_used = used;
	for (unsigned i = 0; i < used; i++)
		saved[i] = keys[i];
}

void
sl_keys_reset(void)
{
	for (unsigned i = 0; i < used; i++)
		keys[i] = i < saved_used ? saved[i] : (struct key){0};
	used = saved_used;
}

/* Reports "uses key 7, which …". */
static void
misused(const char *verb, pthread_key_t number, const struct key *k, uint64_t pc)
{
	char message[96];
	size_t length = 0;

	sl_text_add(message, sizeof(message), &length, verb);
	sl_text_add(message, sizeof(message), &length, " key ");
	sl_text_add_number(message, sizeof(message), &length, number);
	sl_text_add(message, sizeof(message), &length,
		    k->state == DELETED ? ", which was deleted by @" : ", which was never created");
	sl_misuse(message, (uint64_t)k, pc, k->state == DELETED ? k->by : 0, SL_KEY_DELETE);
}

static struct key *
announce(enum sl_op_kind kind, pthread_key_t number, uint64_t pc)
{
	struct key *k = &keys[number < PTHREAD_KEYS_MAX ? number : PTHREAD_KEYS_MAX];

	sl_announce(kind, (uint64_t)k, pc);
	sl_point_unless_alone(sl_object_peek(k, SL_OBJECT_KEY));
	sl_note(number);
	if (unlikely(k->state != LIVE))
		misused(kind == SL_KEY_USE ? "uses" : "deletes", number, k, pc);
	return k;
}

SL_EXPORT int
pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int result;

	if (E.control)
		sl_meet(&process_settings.numbers_of_keys, SL_OP_WRITES,
			SL_PC); /* the number depends on other threads that create keys */
	result = SL_CALL(pthread_key_create)(key, destructor);
	if (E.control && !result)
		sl_access_range(key, sizeof(*key), SL_OP_WRITES, SL_PC);
	if (!result && *key < PTHREAD_KEYS_MAX) {
		if (used <= *key)
			used = *key + 1;
		keys[*key] = (struct key){destructor, 0, LIVE};
	}
	return result;
}

static int
end(pthread_key_t number)
{
	int result = SL_CALL(pthread_key_delete)(number);

	if (!result && number < PTHREAD_KEYS_MAX) {
		keys[number].destructor = NULL;
		keys[number].state = DELETED;
	}
	return result;
}

int
sl_at_pthread_key_delete(pthread_key_t number, uint64_t pc)
{
	uint64_t at = (uint64_t)&keys[number < PTHREAD_KEYS_MAX ? number : PTHREAD_KEYS_MAX];
	struct key *k;

	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].ends.key_used && &E.threads[i] != E.current &&
		    !sl_ordered(E.threads[i].ends.key_used))
			sl_mark(at);
	sl_meet(&process_settings.numbers_of_keys, SL_OP_WRITES, pc);
	sl_meet(&process_settings.ends_of_keys, SL_OP_WRITES, pc);
	k = announce(SL_KEY_DELETE, number, pc);
	k->by = sl_by(pc);
	return end(number);
}

SL_EXPORT int
pthread_key_delete(pthread_key_t number)
{
	SL_RT_CALL();
	return E.control ? sl_at_pthread_key_delete(number, SL_PC) : end(number);
}

SL_DEFINE(void *, pthread_getspecific, (pthread_key_t number), (number))
{
	announce(SL_KEY_USE, number, pc);
	E.current->ends.key_used = E.current->epoch;
	return SL_CALL(pthread_getspecific)(number);
}

/* No other thread runs while libc sets a key. */
static int
set(pthread_key_t number, const void *value)
{
	int result;

	sl_calloc_family = SL_BLOCK_KEYS;
	result = SL_CALL(pthread_setspecific)(number, value);
	sl_calloc_family = SL_BLOCK_MALLOC;
	return result;
}

SL_DEFINE(int, pthread_setspecific, (pthread_key_t number, const void *value), (number, value))
{
	announce(SL_KEY_USE, number, pc);
	E.current->ends.key_used = E.current->epoch;
	return set(number, value);
}

bool
sl_key_destructors(void)
{
	bool any = false;

	for (unsigned i = 0; i < used; i++) {
		void *value = keys[i].destructor ? SL_CALL(pthread_getspecific)(i) : NULL;

		if (!value)
			continue;
		sl_meet(&process_settings.ends_of_keys, SL_OP_READS, E.current->op.pc);
		if (!keys[i].destructor)
			continue; /* another thread has deleted the key */
		SL_CALL(pthread_setspecific)(i, NULL);
		keys[i].destructor(value);
		any = true;
	}
	return any;
}
