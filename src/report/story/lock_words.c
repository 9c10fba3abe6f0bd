#include "report/words.h"

#include <errno.h>
#include <string.h>

/* The errors of locking are small numbers; 0 is success. */
static bool
failed(const struct sl_record *r)
{
	return r->value > 0 && r->value < 4096 && r->value != EOWNERDEAD; /* that one has the lock, and a worry */
}

static void
take(struct sl_held_lock *holds, size_t *count, size_t max, uint64_t object, uint64_t record)
{
	for (size_t i = 0; i < *count; i++) {
		if (holds[i].object == object) {
			holds[i].depth++;
			return;
		}
	}
	if (*count < max)
		holds[(*count)++] = (struct sl_held_lock){object, record, 1};
}

static void
give(struct sl_held_lock *holds, size_t *count, uint64_t object, bool all)
{
	for (size_t i = 0; i < *count; i++) {
		if (holds[i].object != object)
			continue;
		if (all || --holds[i].depth == 0) {
			memmove(&holds[i], &holds[i + 1], (*count - i - 1) * sizeof(*holds));
			(*count)--;
		}
		return;
	}
}

size_t
sl_words_holds(const struct sl_words *words, uint32_t thread, uint64_t when, struct sl_held_lock *holds, size_t max)
{
	uint64_t mutex = 0; /* that the thread gave up to wait */
	size_t count = 0;

	for (uint64_t i = 0; i < when && i < words->trace->count; i++) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.thread != thread)
			continue;
		switch ((enum sl_op_kind)r->op.kind) {
		case SL_MUTEX_LOCK:
		case SL_MUTEX_TRYLOCK:
		case SL_MUTEX_TIMEDLOCK:
		case SL_RW_RDLOCK:
		case SL_RW_WRLOCK:
		case SL_SPIN_LOCK:
			if (!failed(r))
				take(holds, &count, max, r->op.object, i);
			break;
		case SL_MUTEX_UNLOCK:
		case SL_RW_UNLOCK:
		case SL_SPIN_UNLOCK:
			give(holds, &count, r->op.object, false);
			break;
		case SL_COND_WAIT:
			mutex = r->value;
			give(holds, &count, mutex, true);
			break;
		case SL_COND_RELOCK:
			take(holds, &count, max, mutex ? mutex : r->op.object, i);
			break;
		default:
			break;
		}
	}
	return count;
}

uint64_t
sl_words_find_record(const struct sl_words *words, uint32_t thread, uint64_t index)
{
	uint64_t best = UINT64_MAX;

	for (uint64_t i = 0; i < words->trace->count; i++) {
		const struct sl_record *r = &words->trace->records[i];

		if (r->op.thread == thread && r->op.index <= index)
			best = i;
	}
	return best;
}
