#include "base/undo.h"

#include <string.h>

struct sl_undo *sl_undo;

static bool
is_sound(const struct sl_undo *u, uintptr_t from, uintptr_t to)
{
	uint64_t used = u->used;

	if (u->full || used > SL_UNDO_WORDS)
		return false;
	while (used) {
		if (used < 2)
			return false;
		uint64_t at = u->words[used - 2], size = u->words[used - 1], words = size / 8 + (size % 8 != 0);

		if (at < from || at > to || size > to - at || words + 2 > used)
			return false;
		used -= words + 2;
	}
	return true;
}

/* A process that is killed in here can roll back again, with the same result. */
bool
sl_undo_all(struct sl_undo *u, const void *from, const void *to)
{
	if (!is_sound(u, (uintptr_t)from, (uintptr_t)to))
		return false;
	for (uint64_t used = u->used; used;) {
		uint64_t size = u->words[used - 1], words = size / 8 + (size % 8 != 0);

		memcpy((void *)u->words[used - 2], &u->words[used - 2 - words], size);
		used -= words + 2;
	}
	sl_undo_commit(u);
	return true;
}
